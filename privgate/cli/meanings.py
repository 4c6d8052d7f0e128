"""What the words and codes in outputs mean, and what to do about them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Meaning:
    """What a word in an output means, and the next step."""

    means: str
    do: str


_MET = Meaning(
    "every blocking rule and every requirement of the policy is kept. It says what these checks "
    "found, no more; what was not looked at is listed in the report",
    "read section by section what the checks could have seen, then let the release go the way that "
    "your policy allows",
)
_VIOLATED = Meaning(
    "at least one blocking rule is broken: the measured risk, at the unfavourable end of its "
    "interval, is beyond the limit. With verify, render and ledger: a stored file was altered",
    "do not release. `privgate explain RULE` tells what a rule guards against; change the "
    "generator or the table, not the limit, and check again",
)
_UNUSABLE = Meaning(
    "the command, policy, release file, data or output folder cannot be used, or an output would "
    "show a value of a record. No verdict was given and nothing was written",
    "each line beginning with 'error:' names file, place and remedy",
)
_NOT_ASSESSED = Meaning(
    "nothing is known to be broken, but something the policy asks for could not be shown: too few "
    "rows, no holdout, an undeclared role, a metric that stopped. That is never a pass",
    "the reason stands beside each rule and requirement; supply what is missing and check again",
)
_STOPPED = Meaning(
    "the program was stopped from outside, by Ctrl-C or a termination signal; nothing half "
    "finished is left",
    "run the command again",
)

WORDS: Mapping[str, Meaning] = MappingProxyType(
    {
        "0": _MET,
        "1": _VIOLATED,
        "2": _UNUSABLE,
        "3": _NOT_ASSESSED,
        "130": _STOPPED,
        "143": _STOPPED,
        "met": _MET,
        "violated": _VIOLATED,
        "unusable": _UNUSABLE,
        "not_assessed": _NOT_ASSESSED,
        "waived": Meaning(
            "a rule is broken and a waiver that a named person signed for lets it stand until a "
            "day. It fills no criterion",
            "look at the waiver's reason and end in the report; it is no clearance",
        ),
        "measured": Meaning(
            "the metric was computed; whether its figures keep a limit is for the rules to say",
            "nothing",
        ),
        "failed": Meaning(
            "a metric stopped with an error while it measured. Rules on it are not assessed",
            "run the check with --debug, in the house, for the text may quote records; report a "
            "fault of a plug-in to its authors",
        ),
        "blocking": Meaning(
            "a rule that stops the release when it is broken or unknown", "nothing"
        ),
        "advisory": Meaning(
            "a rule that is shown and never stops a release",
            "make it blocking if a decision is to rest on it",
        ),
        "bound": Meaning(
            "a rule that judges the unfavourable end of the figure's interval, so that few records "
            "cannot look safe by chance",
            "if only the interval is too wide, measure more records",
        ),
        "point": Meaning(
            "a rule that judges the value itself, which chance moves",
            "prefer 'judge: bound' in blocking rules",
        ),
        "singling_out": Meaning(
            "can somebody find, from the release, a description that fits exactly one real person? "
            "(WP29 Opinion 05/2014)",
            "a blocking rule on an attack such as singling_out has to be met",
        ),
        "linkability": Meaning(
            "can two sets of facts about one person be joined with the help of the release? "
            "(WP29 Opinion 05/2014)",
            "a blocking rule on an attack such as linkability has to be met",
        ),
        "inference": Meaning(
            "does the release let somebody guess a sensitive value of a person behind it better "
            "than of other people? (WP29 Opinion 05/2014)",
            "declare sensitive columns; a blocking rule on an attack such as rapid has to be met",
        ),
        "membership": Meaning(
            "can somebody tell that a person's record was used to make the release?",
            "give a holdout; a blocking rule on an attack such as privet has to be met",
        ),
    }
)
