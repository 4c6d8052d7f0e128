"""What can go wrong, and the exit code each kind of failure ends the command line with.

A violated rule is a value (see :mod:`privgate.policy.verdict`), never an exception. Exceptions mean
that nothing could be judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """The four answers of the command line; only ``MET`` opens the gate."""

    MET = 0
    VIOLATED = 1
    UNUSABLE = 2
    NOT_ASSESSED = 3


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input, where it is, and what to do about it.

    Parameters
    ----------
    message
        A full sentence without a trailing full stop. Never holds the content of a record.
    file, line
        Where the problem is; ``line`` counts from 1.
    path
        Place inside a document (``rules[2].require.max``) or the column concerned.
    remedy
        What the reader can do next.

    Examples
    --------
    >>> print(Problem("unknown key 'sverity'", file="p.yaml", line=7, path="rules[0]",
    ...               remedy="did you mean 'severity'?"))
    p.yaml:7: rules[0]: unknown key 'sverity'; did you mean 'severity'?
    """

    message: str
    file: str | None = None
    line: int | None = None
    path: str | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if place and self.line is not None:
            place = f"{place}:{self.line}"
        head = ": ".join(part for part in (place, self.path, self.message) if part)
        return f"{head}; {self.remedy}" if self.remedy else head


class PrivgateError(Exception):
    """Base of all errors a caller of privgate has to expect.

    ``problems`` holds every problem that was found, not only the first.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.UNUSABLE

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Problem, ...]]]:
        """Keep every part of the problems on the way from another process."""
        return type(self), (self.problems,)


class InputError(PrivgateError):
    """A data file, release file or command-line argument cannot be used."""


class PolicyError(PrivgateError):
    """A policy file cannot be used."""


class PluginError(PrivgateError):
    """An installed plug-in that a policy or command names cannot be used."""


class RenderError(PrivgateError):
    """A report could not be produced."""


class DisclosureError(PrivgateError):
    """An output would show the value of a record, so none is written."""


class ExecutorError(PrivgateError):
    """What computations run on broke down, so that nothing was judged."""


class IntegrityError(PrivgateError):
    """Stored evidence, verdict or report is not what the manifest says it is."""

    exit_code = ExitCode.VIOLATED


class NotAssessable(PrivgateError):  # noqa: N818 - a finding about the data, not a fault
    """The data do not allow this metric to be computed; the reason becomes part of the evidence."""

    exit_code = ExitCode.NOT_ASSESSED


class ViolatedError(PrivgateError):
    """A result was required to meet its policy, and a rule is violated."""

    exit_code = ExitCode.VIOLATED


class NotAssessedError(PrivgateError):
    """A result was required to meet its policy, and something could not be assessed."""

    exit_code = ExitCode.NOT_ASSESSED


class PrivgateWarning(UserWarning):
    """Something that does not stop the work and that people should know."""
