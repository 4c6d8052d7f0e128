"""What the checks would have seen: measurements repeated on releases whose truth is known."""

from privgate.trials.calibration import CalibrationPlan, calibrate
from privgate.trials.draft import policy_draft
from privgate.trials.folds import (
    Fold,
    Synthesizer,
    release_named,
    stratified_folds,
    synthesised,
)
from privgate.trials.leak import Leak
from privgate.trials.leaks import plant
from privgate.trials.power import PowerPlan, measure_power
from privgate.trials.rapid_runs import (
    RapidRuns,
    cross_validate_synthesizer,
    rapid_over_replicates,
)
from privgate.trials.repeat import RuleResult, TrialResult, repeat
from privgate.trials.store import TrialStore
from privgate.trials.trial import Trial

__all__ = [
    "CalibrationPlan",
    "Fold",
    "Leak",
    "PowerPlan",
    "RapidRuns",
    "RuleResult",
    "Synthesizer",
    "Trial",
    "TrialResult",
    "TrialStore",
    "calibrate",
    "cross_validate_synthesizer",
    "measure_power",
    "plant",
    "policy_draft",
    "rapid_over_replicates",
    "release_named",
    "repeat",
    "stratified_folds",
    "synthesised",
]
