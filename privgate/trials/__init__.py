"""What the checks would have seen: measurements repeated on releases whose truth is known."""

from privgate.trials.folds import Fold, Synthesizer, stratified_folds, synthesised
from privgate.trials.rapid_runs import (
    RapidRuns,
    cross_validate_synthesizer,
    rapid_over_replicates,
)

__all__ = [
    "Fold",
    "RapidRuns",
    "Synthesizer",
    "cross_validate_synthesizer",
    "rapid_over_replicates",
    "stratified_folds",
    "synthesised",
]
