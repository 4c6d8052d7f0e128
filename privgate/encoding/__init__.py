"""One encoded space, fitted on train and applied to all tables."""

from privgate.encoding.dense import DenseEncoder, Projection
from privgate.encoding.rows import BinaryRows, EuclideanRows, GowerRows, Rows
from privgate.encoding.space import Distance, Space, binary_space, space_of

__all__ = [
    "BinaryRows",
    "DenseEncoder",
    "Distance",
    "EuclideanRows",
    "GowerRows",
    "Projection",
    "Rows",
    "Space",
    "binary_space",
    "space_of",
]
