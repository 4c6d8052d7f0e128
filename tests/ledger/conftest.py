"""Evidence to be written into ledgers, made once, and ways to vary it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from privgate.data import release_from_frames
from privgate.engine import assess
from privgate.errors import IntegrityError
from privgate.evidence import digest
from privgate.ledger import Ledger
from privgate.metrics import all_metrics
from privgate.policy import check, open_document, policy_from_text
from privgate.testing.samples import SURVEY_COLUMNS, survey

if TYPE_CHECKING:
    from pathlib import Path

    from privgate.evidence import RunEvidence
    from privgate.policy import BoundPolicy

POLICY = """
privgate: policy/v1
id: test
version: {version}
title: Test
requires: {{ledger: {ledger}}}
rules:
  - {{id: copies, metric: crp, measure: share, require: {{max: {most}}},
      source: {{kind: house, ref: r}}, rationale: test}}
"""


def policy(*, version: str = "1.0.0", most: float = 0.05, ledger: str = "false") -> BoundPolicy:
    text = POLICY.format(version=version, most=most, ledger=ledger)
    return open_document(policy_from_text(text).document, all_metrics())


@dataclass
class Book:
    """A ledger with a short way to write into it."""

    path: Path
    evidence: RunEvidence

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.path)

    @property
    def head(self) -> Path:
        return self.path.with_name("ledger.jsonl.head")

    @property
    def lines(self) -> list[bytes]:
        return self.path.read_bytes().splitlines(keepends=True)

    def write(self, *, bound=None, train=None, synthetic=None, **run):
        """Write one evaluation; ``train`` and ``synthetic`` name tables other than the usual."""
        tables = dict(self.evidence.release.tables)
        for table, name in (("train", train), ("synthetic", synthetic)):
            if name is not None:
                other = {"sha256": digest([name]), "content_sha256": digest([name, "content"])}
                tables[table] = tables[table].model_copy(update=other)
        evidence = self.evidence.model_copy(
            update={
                "run": self.evidence.run.model_copy(update=run),
                "release": self.evidence.release.model_copy(update={"tables": tables}),
            }
        )
        bound = bound or policy()
        return self.ledger.record(evidence, lambda known: check(bound, known))

    def faults(self):
        """Return what is wrong with the ledger, as (line, message)."""
        with pytest.raises(IntegrityError) as caught:
            self.ledger.intact()
        assert {problem.file for problem in caught.value.problems} == {str(self.path)}
        return [(problem.line, problem.message) for problem in caught.value.problems]


@pytest.fixture(scope="session")
def evidence():
    release = release_from_frames(
        train=survey(120, 1), synthetic=survey(120, 3), columns=SURVEY_COLUMNS
    )
    created = datetime(2026, 11, 1, tzinfo=UTC)
    return assess(release, policy(), seed=1, created=created).evidence


@pytest.fixture
def book(tmp_path, evidence):
    return Book(tmp_path / "ledger.jsonl", evidence)


@pytest.fixture(scope="module")
def six_lines(tmp_path_factory, evidence):
    """Return the lines of a ledger with a heading and five evaluations."""
    book = Book(tmp_path_factory.mktemp("six") / "ledger.jsonl", evidence)
    for seed in range(5):
        book.write(seed=seed)
    return book.lines


@pytest.fixture
def make_policy():
    return policy
