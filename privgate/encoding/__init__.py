"""One encoded space, fitted on train and applied to all tables."""

from privgate.data import Distance
from privgate.encoding.binary import BinaryRows
from privgate.encoding.cosine import CosineRows
from privgate.encoding.dense import DenseEncoder, Projection, coordinates_of
from privgate.encoding.euclidean import EuclideanRows
from privgate.encoding.gower import GowerRows
from privgate.encoding.rows import Rows, TabularRows
from privgate.encoding.space import Space, binary_space, numbers_of, space_of
from privgate.encoding.weights import entropy_weighted, entropy_weights, weighted

__all__ = [
    "BinaryRows",
    "CosineRows",
    "DenseEncoder",
    "Distance",
    "EuclideanRows",
    "GowerRows",
    "Projection",
    "Rows",
    "Space",
    "TabularRows",
    "binary_space",
    "coordinates_of",
    "entropy_weighted",
    "entropy_weights",
    "numbers_of",
    "space_of",
    "weighted",
]
