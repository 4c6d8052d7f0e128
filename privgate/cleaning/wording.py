"""What people are told about a removal: in evidence, in the folder and on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privgate.report.small_counts import SMALLEST_PUBLISHED

if TYPE_CHECKING:
    from privgate.cleaning.removal import Removal
    from privgate.data import Release

NO_PROOF = (
    "Filtering is no proof that nothing else leaked, and the records taken out may be inferred "
    "from the gap they leave."
)
ORDER_GONE = (
    "The rows no longer correspond to those of train in order, so the release declares no "
    "correspondence."
)


def notice(removal: Removal) -> str:
    """Return what a report must say about the removal; a small number is not told.

    Examples
    --------
    >>> from privgate.cleaning.removal import Removal
    >>> print(notice(Removal(100, {"copies": np.arange(1, 5)})).partition(" Filtering")[0])
    Synthetic records were removed, fewer than 11, after the policy's rules had named them (copies).
    """
    gone = len(removal.positions)
    few = gone < SMALLEST_PUBLISHED
    number = f"fewer than {SMALLEST_PUBLISHED}" if few else f"{gone} of {removal.rows}"
    who = f"the policy's rules had named them ({', '.join(removal.by_rules)})"
    if not removal.by_rules:
        who = "a list had named them"
    return f"Synthetic records were removed, {number}, after {who}. {NO_PROOF}"


def removed_table(removal: Removal) -> str:
    r"""Return a CSV text of the rows taken out and who named each, without any value of them.

    Examples
    --------
    >>> from privgate.cleaning.removal import Removal
    >>> removed_table(Removal(9, {"a": np.array([2, 7]), "b": np.array([7])}))
    'row,named_by\n2,a\n7,a b\n'
    """
    positions = removal.positions
    names = np.full(len(positions), "", dtype=object)
    for name, rows in removal.named.items():
        names[np.isin(positions, rows)] += f" {name}"
    lines = (f"{row},{who[1:]}" for row, who in zip(positions, names, strict=True))
    return "\n".join(["row,named_by", *lines, ""])


def read_me(removal: Removal, still: Removal, original: Release, outcome: str) -> str:
    """Return the page that explains the output folder to whoever opens it."""
    gone = len(removal.positions)
    table = original.facts.tables["synthetic"].file
    order = original.facts.correspondence == "same_order"
    return f"""\
This folder holds a synthetic table from which `privgate clean` took records out.

data/{table}
    the table without them; every other record is as it was stored
release.yaml
    the release file of that table
removed.csv
    the data rows taken out, numbered as in the original file, and what named them
check/
    the whole policy, checked again on what is left

{gone} of {removal.rows} synthetic records were taken out. Records named by each rule or list, some
of them by several: {removal.counts}.

{NO_PROOF}{" " + ORDER_GONE if order else ""}

The check of what is left: {outcome.replace("_", " ")}. {named_still(still)}

Only data/ and the reports in check/ are made to leave the house, and only if that check is met.
removed.csv and this page tell how many records of the original table were named, and which.
"""


def named_still(still: Removal) -> str:
    """Return how many records of what is left are named, none of which was taken out."""
    count = len(still.positions)
    if not count:
        return "No record of what is left is named by a rule."
    return (
        f"{count} records of what is left are named by rules ({still.counts}); records are taken "
        "out once only, so they are still in the table."
    )
