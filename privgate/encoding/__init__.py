"""One encoded space, fitted on train and applied to all tables."""

from privgate.encoding.rows import BinaryRows, EuclideanRows, GowerRows, Rows
from privgate.encoding.space import Distance, Space, binary_space, space_of

__all__ = [
    "BinaryRows",
    "Distance",
    "EuclideanRows",
    "GowerRows",
    "Rows",
    "Space",
    "binary_space",
    "space_of",
]
