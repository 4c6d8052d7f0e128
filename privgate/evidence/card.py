"""The card of a metric: what it measures, for whom, and what it cannot say.

The card is stored inside the evidence, so a report can explain a figure without the code that
produced it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from privgate.evidence.base import Frozen

INFORM_ONLY = "Informs only: no policy may rest on this metric alone."


class Criterion(StrEnum):
    """The criteria of WP29 Opinion 05/2014, and membership."""

    SINGLING_OUT = "singling_out"
    LINKABILITY = "linkability"
    INFERENCE = "inference"
    MEMBERSHIP = "membership"


class Family(StrEnum):
    """Attacks simulate an adversary; screens look at distances and copies.

    Utility says what the data are good for. It is no evidence about privacy, whatever it shows.
    """

    ATTACK = "attack"
    SCREEN = "screen"
    UTILITY = "utility"


class SafeSide(StrEnum):
    """Which end of a figure's scale is the harmless one."""

    LOW = "low"
    HIGH = "high"


class FigureKind(StrEnum):
    """What a figure is, which decides how a report prints and suppresses it."""

    SHARE = "share"  # a share of n people or records, in [0, 1]
    DIFFERENCE = "difference"  # difference of two shares, in [-1, 1]
    COUNT = "count"  # a number of people or records
    P_VALUE = "p_value"
    DISTANCE = "distance"  # in units of the encoded space
    SCORE = "score"  # anything else


class FigurePart(StrEnum):
    """Which part a figure plays in the comparison that its criterion, or its reader, rests on."""

    ATTACK = "attack"  # success on the people behind the release
    CONTROL = "control"  # the same on people the generator never saw, or made from real records
    BASELINE = "baseline"  # success where the release is of no help
    EXCESS = "excess"  # what the attack achieves beyond the control


class Need(StrEnum):
    """What a metric cannot do without; the engine checks it before the call."""

    COLUMNS = "columns"
    HOLDOUT = "holdout"
    CORRESPONDENCE = "correspondence"
    QUASI_IDENTIFIERS = "quasi_identifiers"
    SENSITIVE = "sensitive"
    PUBLISHED_TABLES = "published_tables"


class FigureSpec(Frozen):
    """What one figure of a metric means and how it may be judged.

    ``has_interval`` is true when the figure is an estimate that must come with an interval; false
    when it is an exact statement about this release. ``satisfies`` lists the criteria that a
    blocking rule on this figure can satisfy; empty for every figure of a screen. ``part`` is what
    it is beside the other figures of an attack, where it is one of those that belong together.
    """

    title: str
    meaning: str  # one plain sentence a data protection officer understands
    safe_side: SafeSide
    kind: FigureKind
    minimum: float | None = None
    maximum: float | None = None
    has_interval: bool = False
    satisfies: tuple[Criterion, ...] = ()
    part: FigurePart | None = None

    @classmethod
    def share(
        cls,
        title: str,
        meaning: str,
        *,
        satisfies: tuple[Criterion, ...] = (),
        exact: bool = False,
        part: FigurePart | None = None,
    ) -> Self:
        """Return a share of people or records in [0, 1], harmless when low."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.LOW,
            kind=FigureKind.SHARE,
            minimum=0,
            maximum=1,
            has_interval=not exact,
            satisfies=satisfies,
            part=part,
        )

    @classmethod
    def difference(
        cls,
        title: str,
        meaning: str,
        *,
        satisfies: tuple[Criterion, ...] = (),
        part: FigurePart | None = None,
    ) -> Self:
        """Return a difference of two shares in [-1, 1] with an interval, harmless when low."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.LOW,
            kind=FigureKind.DIFFERENCE,
            minimum=-1,
            maximum=1,
            has_interval=True,
            satisfies=satisfies,
            part=part,
        )

    @classmethod
    def residual(cls, title: str, meaning: str, *, satisfies: tuple[Criterion, ...] = ()) -> Self:
        """Return a residual risk (a - b)/(1 - b), at most 1, harmless when low."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.LOW,
            kind=FigureKind.DIFFERENCE,
            maximum=1,
            has_interval=True,
            satisfies=satisfies,
        )

    @classmethod
    def count(cls, title: str, meaning: str) -> Self:
        """Return an exact number of people or records, harmless when low."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.LOW,
            kind=FigureKind.COUNT,
            minimum=0,
        )

    @classmethod
    def p_value(cls, title: str, meaning: str, *, satisfies: tuple[Criterion, ...] = ()) -> Self:
        """Return the p-value of a test whose null is an honest release, harmless when high."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.HIGH,
            kind=FigureKind.P_VALUE,
            minimum=0,
            maximum=1,
            satisfies=satisfies,
        )

    @classmethod
    def distance(cls, title: str, meaning: str) -> Self:
        """Return a distance in the encoded space, harmless when high."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=SafeSide.HIGH,
            kind=FigureKind.DISTANCE,
            minimum=0,
        )

    @classmethod
    def score(
        cls,
        title: str,
        meaning: str,
        *,
        safe_side: SafeSide,
        minimum: float | None = None,
        maximum: float | None = None,
        exact: bool = True,
        part: FigurePart | None = None,
    ) -> Self:
        """Return a figure on a scale of its own, without an interval if it is exact."""
        return cls(
            title=title,
            meaning=meaning,
            safe_side=safe_side,
            kind=FigureKind.SCORE,
            minimum=minimum,
            maximum=maximum,
            has_interval=not exact,
            part=part,
        )


class ThreatModel(Frozen):
    """Who attacks, what they know and what they want."""

    attacker: str
    knows: str
    wants: str


class PluginFacts(Frozen):
    """Which distribution a metric of a third party came with."""

    distribution: str
    version: str


class Card(Frozen):
    """What a metric is.

    The meaning of a published ``name`` never changes: a fixed bug raises ``version``, another idea
    gets another name. ``plugin`` is written by privgate when it loads a metric of a third party;
    what an author puts there does not count.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$")
    version: int = Field(ge=1)
    title: str
    question: str  # the question it answers, in plain language
    family: Family
    threat_model: ThreatModel | None = None  # of utility, which nobody attacks, none
    criteria: tuple[Criterion, ...]  # what it speaks to
    formula: str
    review_name: str | None = None  # what the review arXiv 2507.11324 calls it
    headline: str  # figure that a rule judges when it names none
    figures: dict[str, FigureSpec]
    needs: tuple[Need, ...] = ()
    references: tuple[str, ...] = Field(min_length=1)
    limits: tuple[str, ...] = Field(min_length=1)
    plugin: PluginFacts | None = None  # of the metrics that privgate brings itself, none

    @model_validator(mode="after")
    def _is_coherent(self) -> Self:
        if self.headline not in self.figures:
            raise ValueError(f"the headline figure {self.headline!r} is not among the figures")
        if self.family is not Family.ATTACK and self.can_satisfy:
            raise ValueError(f"{self.family} cannot satisfy a criterion")
        if (self.threat_model is None) != self.is_utility:
            raise ValueError("attacks and screens have a threat model, utility has none")
        if self.is_utility and self.criteria:
            raise ValueError("utility speaks to no criterion")
        return self

    @property
    def is_utility(self) -> bool:
        """Return whether the metric says what the data are good for, and nothing of privacy."""
        return self.family is Family.UTILITY

    @property
    def informs_only(self) -> bool:
        """Return whether the metric says of itself that no decision may rest on it."""
        return INFORM_ONLY in self.limits

    @property
    def can_satisfy(self) -> tuple[Criterion, ...]:
        """Return the criteria that a blocking rule on one of the figures can satisfy."""
        found = {criterion for spec in self.figures.values() for criterion in spec.satisfies}
        return tuple(criterion for criterion in Criterion if criterion in found)
