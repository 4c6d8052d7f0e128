"""Which built-in policy fits a release, by its tables and by who is to receive it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from privgate.policy.load import load_policy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from privgate.policy.requirements import Requirements


class ReleaseModel(StrEnum):
    """Who may have the release."""

    PUBLIC = "public"
    CONTROLLED = "controlled"
    INTERNAL = "internal"


FOR_TABLES = {
    ReleaseModel.PUBLIC: "public-release-strict",
    ReleaseModel.CONTROLLED: "controlled-access",
    ReleaseModel.INTERNAL: "internal-test-data",
}
FOR_BINARY_ARRAYS, FOR_OTHER_ARRAYS = "genomics-strict", "embeddings"


@dataclass(frozen=True)
class Proposal:
    """A built-in policy, and what it asks for that the release does not have yet.

    While something is lacking, the best verdict that the policy can give is *not assessed*.
    """

    policy: str
    title: str
    lacking: tuple[str, ...]


def propose(
    rows: Mapping[str, int],
    *,
    model: ReleaseModel,
    roles: Collection[str] = (),
    binary: bool | None = None,
) -> Proposal:
    """Return the policy to begin with.

    Parameters
    ----------
    rows
        Number of rows of each table that is there.
    roles
        Roles that columns have.
    binary
        Of arrays, whether all numbers are 0 or 1; ``None`` for tables.

    Examples
    --------
    >>> found = propose({"train": 900, "synthetic": 900}, model=ReleaseModel.INTERNAL)
    >>> found.policy, found.lacking[0]
    ('internal-test-data', 'a holdout: real records that the generator never saw (--holdout)')
    """
    if binary is None:
        name = FOR_TABLES[model]
    else:
        name = FOR_BINARY_ARRAYS if binary else FOR_OTHER_ARRAYS
    policy = load_policy(name).policy
    lacking = [*_tables(policy.requires, rows), *_declarations(policy.requires)]
    if binary is None:
        lacking += _roles(roles)
    return Proposal(name, policy.title, tuple(lacking))


def _tables(requires: Requirements, rows: Mapping[str, int]) -> Iterator[str]:
    if requires.holdout and "holdout" not in rows:
        yield "a holdout: real records that the generator never saw (--holdout)"
    for table, least in requires.min_rows.model_dump().items():
        if least is not None and table in rows and rows[table] < least:
            yield f"{least} {table} rows: there are {rows[table]}"


def _declarations(requires: Requirements) -> Iterator[str]:
    for place in requires.declared:
        above, _, entry = place.rpartition(".")
        yield f"'{entry}: …' under {above} in the release file, in your words"


def _roles(roles: Collection[str]) -> Iterator[str]:
    if "quasi_identifier" not in roles:
        yield "a quasi_identifier: a column that an attacker may know"
    if "sensitive" not in roles:
        yield "a sensitive column: one that an attacker wants"
