"""The vocabulary that every other part of privgate speaks."""

from privgate.evidence.base import Frozen, JsonValue
from privgate.evidence.calibration import CalibrationStudy, Draws, RuleCalibration
from privgate.evidence.canonical import canonical_bytes, digest, document
from privgate.evidence.card import (
    INFORM_ONLY,
    Card,
    Criterion,
    Family,
    FigureKind,
    FigurePart,
    FigureSpec,
    Need,
    PluginFacts,
    SafeSide,
    ThreatModel,
)
from privgate.evidence.estimate import Estimate, unknown
from privgate.evidence.history import EarlierTries, Judged, LedgerFacts
from privgate.evidence.measurement import Chart, Measurement, Part, Series, Status
from privgate.evidence.power import PlantedLeak, PowerStudy
from privgate.evidence.run import (
    ArrayFacts,
    ColumnFacts,
    OverlapFacts,
    PublishedFacts,
    ReleaseFacts,
    RunEvidence,
    RunFacts,
    SampleFacts,
    TableFacts,
    TableName,
)
from privgate.evidence.study import PolicyStudy

__all__ = [
    "INFORM_ONLY",
    "ArrayFacts",
    "CalibrationStudy",
    "Card",
    "Chart",
    "ColumnFacts",
    "Criterion",
    "Draws",
    "EarlierTries",
    "Estimate",
    "Family",
    "FigureKind",
    "FigurePart",
    "FigureSpec",
    "Frozen",
    "JsonValue",
    "Judged",
    "LedgerFacts",
    "Measurement",
    "Need",
    "OverlapFacts",
    "Part",
    "PlantedLeak",
    "PluginFacts",
    "PolicyStudy",
    "PowerStudy",
    "PublishedFacts",
    "ReleaseFacts",
    "RuleCalibration",
    "RunEvidence",
    "RunFacts",
    "SafeSide",
    "SampleFacts",
    "Series",
    "Status",
    "TableFacts",
    "TableName",
    "ThreatModel",
    "canonical_bytes",
    "digest",
    "document",
    "unknown",
]
