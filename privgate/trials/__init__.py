"""What the checks would have seen: measurements repeated on releases whose truth is known."""

from privgate.trials.calibration import CalibrationPlan, calibrate
from privgate.trials.draft import policy_draft
from privgate.trials.leaks import Leak, plant
from privgate.trials.power import PowerPlan, measure_power
from privgate.trials.repeat import RuleResult, Trial, TrialResult, repeat
from privgate.trials.store import TrialStore

__all__ = [
    "CalibrationPlan",
    "Leak",
    "PowerPlan",
    "RuleResult",
    "Trial",
    "TrialResult",
    "TrialStore",
    "calibrate",
    "measure_power",
    "plant",
    "policy_draft",
    "repeat",
]
