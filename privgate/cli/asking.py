"""Questions at a terminal about the columns of tables. No value of a record is shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privgate.cli.console import say
from privgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from privgate.data.guess import Guess

ROLES: Mapping[str, str] = {
    "quasi_identifier": "an attacker may know it: age, sex, place, occupation, dates",
    "sensitive": "an attacker wants it: income, diagnosis, outcome",
    "other": "neither; it is measured with the rest",
    "identifier": "names a person; left out of measurements, its replays are counted",
    "ignore": "left out and listed as such",
}
MODELS: Mapping[str, str] = {
    "public": "anybody may have the release",
    "controlled": "named recipients under contract",
    "internal": "nobody outside the house",
}


def is_terminal() -> bool:
    """Return whether somebody is there to answer."""
    return sys.stdin is not None and sys.stdin.isatty()


@dataclass
class Asker:
    """Asks one question at a time; an empty answer takes what is proposed."""

    read: Callable[[], str] = field(default_factory=lambda: sys.stdin.readline)

    def choose(self, question: str, choices: Sequence[str], proposed: str) -> str:
        """Return one of the choices, which may be shortened as long as it is clear which is meant.

        Raises
        ------
        InputError
            If the input ends before there is an answer.
        """
        while True:
            say(f"{question} [{proposed}]")
            line = self.read()
            if not line:
                problem = "the input ended before every question had an answer; nothing is written"
                remedy = "answer each, or give --yes to take the guesses as they are"
                raise InputError(Problem(problem, remedy=remedy))
            answer = line.strip().lower()
            meant = [choice for choice in choices if choice.startswith(answer)] if answer else []
            if not answer or answer in choices:
                return answer or proposed
            if len(meant) == 1:
                return meant[0]
            say(f"  please answer with {', '.join(choices)}, or their first letters")


def ask_roles(
    guesses: Mapping[str, Guess], stated: Mapping[str, str], asker: Asker
) -> dict[str, str]:
    """Return the role of every column, asking for those that are not stated."""
    say("Which part does each column play? First letters do; Enter takes the guess.")
    _explain(ROLES)
    found = dict(stated)
    for number, (column, guess) in enumerate(guesses.items(), start=1):
        if column in stated:
            continue
        kind = guess.declaration.type.value
        counted = "" if guess.distinct is None else f", {guess.distinct} different values"
        say(f"\n{number} of {len(guesses)}: {column!r} ({kind}{counted})")
        for line in (f"guess: {guess.because}", *(f"warning: {it}" for it in guess.warnings)):
            say(f"  {line}")
        found[column] = asker.choose("  role?", list(ROLES), guess.declaration.role.value)
    return found


def ask_model(asker: Asker) -> str:
    """Return who is to receive the release; Enter takes the strictest."""
    say("\nWho is to receive the release?")
    _explain(MODELS)
    return asker.choose("  recipients?", list(MODELS), "public")


def _explain(choices: Mapping[str, str]) -> None:
    width = max(map(len, choices))
    for name, meaning in choices.items():
        say(f"  {name.ljust(width)}  {meaning}")
