"""Named cases for a policy: figures and the outcome they must have.

A policy is code: whoever changes it wants to know which releases it now treats otherwise. The cases
of ``dir/NAME.yaml`` are in ``dir/tests/NAME.yaml``. A case states the figures of rules, or names a
stored ``evidence.json``; figures that it does not state were not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, ValidationError, model_validator

from privgate.data.documents import problem_at, read_document, validate
from privgate.data.explanations import did_you_mean
from privgate.errors import PolicyError
from privgate.evidence import Frozen, RunEvidence
from privgate.policy.check import check
from privgate.policy.model import Sentence, Slug  # noqa: TC001 - pydantic reads them
from privgate.policy.requirements import DeclaredPlace  # noqa: TC001 - pydantic reads it
from privgate.policy.stated_evidence import RowCounts, Stated, stated_evidence
from privgate.policy.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from privgate.data.documents import Document
    from privgate.errors import Problem
    from privgate.policy.bind import BoundPolicy
    from privgate.policy.verdict import Verdict

Expected = Literal[Outcome.MET, Outcome.VIOLATED, Outcome.NOT_ASSESSED]


class Exemption(Frozen):
    """A leak that the policy is not made to see, and why that is right."""

    leak: Slug = Field(description="name of a treatment that leaks, as `policy test` prints it")
    reason: Sentence = Field(description="why this policy need not see it")


class Case(Frozen):
    """Evidence and the outcome that it must have."""

    name: Sentence = Field(description="what the case shows, unique in the file")
    figures: dict[str, Stated] = Field(
        default={}, description="for each rule the figure it judges; left out: not measured"
    )
    evidence: Sentence | None = Field(
        default=None, description="in place of figures: path of an evidence.json from this file"
    )
    rows: RowCounts = Field(default=RowCounts(), description="rows of the tables")
    holdout_overlap: float = Field(
        default=0.0, ge=0, le=1, description="share of holdout rows that are also train rows"
    )
    declared: tuple[DeclaredPlace, ...] = Field(
        default=(), description="entries that the release file fills in"
    )
    expect: Expected = Field(description="outcome of the release")
    rules: dict[str, Expected] = Field(default={}, description="outcome of single rules")

    @model_validator(mode="after")
    def _has_one_kind_of_evidence(self) -> Self:
        if (self.evidence is None) == (not self.figures):
            raise ValueError("a case needs either figures or the path of evidence")
        if (
            self.evidence is not None
            and {"rows", "holdout_overlap", "declared"} & self.model_fields_set
        ):
            raise ValueError(
                "the evidence says all of the release; remove rows, holdout_overlap and declared"
            )
        return self


class CaseFile(Frozen):
    """The cases of a policy, and the leaks that it is exempt from seeing."""

    privgate: Literal["policy-tests/v1"] = Field(description="what this file is")
    exempt: tuple[Exemption, ...] = Field(default=(), description="leaks it need not see")
    tests: tuple[Case, ...] = Field(default=(), description="evidence and expected outcomes")


@dataclass(frozen=True)
class CaseResult:
    """A case, and everything that came out otherwise than expected; often nothing."""

    name: str
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Cases:
    """The cases of a file, their evidence read."""

    exempt: dict[str, str]
    tests: tuple[tuple[Case, RunEvidence], ...]

    def results(self, bound: BoundPolicy) -> tuple[CaseResult, ...]:
        """Return what came out of each case under the policy they were opened for."""
        return tuple(
            CaseResult(case.name, tuple(_differences(case, check(bound, evidence))))
            for case, evidence in self.tests
        )


def cases_beside(policy_file: Path) -> Path:
    """Return where the cases of a policy file are by convention.

    Examples
    --------
    >>> from pathlib import Path
    >>> cases_beside(Path("policies/ward.yaml")).as_posix()
    'policies/tests/ward.yaml'
    """
    return policy_file.parent / "tests" / policy_file.name


def open_cases(path: Path, bound: BoundPolicy) -> Cases:
    """Return the cases in a file, made for a policy.

    Raises
    ------
    PolicyError
        With every entry that is misspelt, out of range, twice there or about no rule of the policy.
    """
    document = read_document(path, error=PolicyError)
    file = validate(document, CaseFile, error=PolicyError)
    problems = [*_repeated(file, document), *_strange(file, document, bound)]
    tests = []
    for position, case in enumerate(file.tests):
        try:
            tests.append((case, _evidence(case, bound, document, ("tests", position), path)))
        except PolicyError as error:
            problems += error.problems
    if problems:
        raise PolicyError(problems)
    return Cases({entry.leak: entry.reason for entry in file.exempt}, tuple(tests))


def _repeated(file: CaseFile, document: Document) -> Iterator[Problem]:
    for key, entries in (
        ("tests", [(case.name, "name") for case in file.tests]),
        ("exempt", [(entry.leak, "leak") for entry in file.exempt]),
    ):
        for position, entry in enumerate(entries):
            if entry in entries[:position]:
                message = f"{entry[0]!r} is already {key}[{entries.index(entry)}]"
                yield problem_at(document, (key, position, entry[1]), message, "rename one of them")


def _strange(file: CaseFile, document: Document, bound: BoundPolicy) -> Iterator[Problem]:
    """Yield every rule that the policy does not have."""
    known = [rule.rule.id for rule in bound.rules]
    for position, case in enumerate(file.tests):
        for key, named in (("figures", case.figures), ("rules", case.rules)):
            for name in named:
                if name not in known:
                    message = f"the policy {bound.policy.id!r} has no rule {name!r}"
                    place = ("tests", position, key, name)
                    yield problem_at(document, place, message, did_you_mean(name, known))


def _evidence(
    case: Case,
    bound: BoundPolicy,
    document: Document,
    place: tuple[str | int, ...],
    path: Path,
) -> RunEvidence:
    if case.evidence is None:
        made = stated_evidence(
            bound,
            case.figures,
            rows=case.rows,
            holdout_overlap=case.holdout_overlap,
            declared=case.declared,
        )
        if isinstance(made, RunEvidence):
            return made
        raise PolicyError(
            problem_at(document, (*place, "figures", rule, *key), message)
            for rule, key, message in made
        )
    place = (*place, "evidence")
    try:
        return RunEvidence.model_validate_json((path.parent / case.evidence).read_bytes())
    except OSError as cause:
        message = f"the evidence {case.evidence!r} cannot be read ({cause.strerror})"
        problem = problem_at(document, place, message, "give its path from this file")
    except ValidationError:
        message = f"{case.evidence!r} is no evidence of this version of privgate"
        problem = problem_at(document, place, message, "name an evidence.json that a check wrote")
    raise PolicyError(problem)


def _differences(case: Case, verdict: Verdict) -> Iterator[str]:
    if verdict.outcome is not case.expect:
        expected, found = _word(case.expect), _word(verdict.outcome)
        yield f"expected {expected}, is {found} ({' '.join(verdict.reasons)})"
    for rule in verdict.rules:
        wanted = case.rules.get(rule.id)
        if wanted is not None and rule.outcome is not wanted:
            found = f"is {_word(rule.outcome)} ({rule.reason})"
            yield f"rule {rule.id!r}: expected {_word(wanted)}, {found}"


def _word(outcome: Outcome) -> str:
    return outcome.value.replace("_", " ")
