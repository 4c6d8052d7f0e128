"""A release: the tables up for judgement, in canonical form, with what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from privgate.data.columns import Distance

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from privgate.data.columns import Column, Role, Table
    from privgate.data.published import PublishedTable
    from privgate.evidence import ReleaseFacts


@dataclass(frozen=True)
class Release:
    """Train, synthetic and, if there is one, holdout table under one schema.

    ``columns`` are the measured ones (roles quasi_identifier, sensitive, other), sorted by name;
    ``identifiers`` the identifier columns, sorted by name, each present in the tables that have it.
    Rows are in canonical order: sorted by the values of all measured and identifier columns, so
    that no measurement can depend on the order in a file.

    ``distance`` is the release's own, by which metrics compare rows unless a policy asks for
    another one. An array release has no columns; its tables have a ``matrix``.

    ``published`` are the tables of counts that go out with the release, ``None`` if nobody says
    whether there are any.
    """

    columns: tuple[Column, ...]
    identifiers: tuple[Column, ...]
    train: Table
    synthetic: Table
    holdout: Table | None
    facts: ReleaseFacts
    distance: Distance = Distance.EUCLIDEAN
    published: tuple[PublishedTable, ...] | None = None

    @property
    def is_array(self) -> bool:
        """Return whether the release consists of arrays, which have no columns."""
        return self.train.matrix is not None

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """Return the measured columns of one role."""
        return tuple(column for column in self.columns if column.role is role)

    def restricted_to(self, names: Collection[str]) -> Release:
        """Return the release with only these measured columns: what a partial view of it shows.

        Raises
        ------
        KeyError
            If a name is not that of a measured column.
        """
        unknown = set(names) - {column.name for column in self.columns}
        if unknown:
            raise KeyError(", ".join(sorted(unknown)))
        return replace(self, columns=tuple(c for c in self.columns if c.name in names))

    def accompanied_by(self, published: tuple[PublishedTable, ...] | None) -> Release:
        """Return the release with these published tables, and facts that tell of them."""
        told = None if published is None else tuple(table.facts for table in published)
        facts = self.facts.model_copy(update={"published": told})
        return replace(self, published=published, facts=facts)

    @property
    def tables(self) -> Mapping[str, Table]:
        """Return the tables that are there, by name."""
        found = {"train": self.train, "synthetic": self.synthetic}
        if self.holdout is not None:
            found["holdout"] = self.holdout
        return found
