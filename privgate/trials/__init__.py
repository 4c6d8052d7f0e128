"""What the checks would have seen: measurements repeated on releases whose truth is known."""

from privgate.trials.leaks import Leak, plant
from privgate.trials.power import PowerPlan, measure_power
from privgate.trials.repeat import RuleResult, Trial, TrialResult, repeat
from privgate.trials.store import TrialStore

__all__ = [
    "Leak",
    "PowerPlan",
    "RuleResult",
    "Trial",
    "TrialResult",
    "TrialStore",
    "measure_power",
    "plant",
    "repeat",
]
