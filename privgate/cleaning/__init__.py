"""A release without the synthetic records that a policy's rules name, and what is said about it.

Taking copies out proves nothing about what is left, and the gap they leave may tell where they
were. So what is left is checked again, and every text says so.
"""

from privgate.cleaning.release import write_cleaned
from privgate.cleaning.removal import Removal, listed_rows, named_by_rules
from privgate.cleaning.wording import NO_PROOF, ORDER_GONE, named_still, read_me, removed_table

__all__ = [
    "NO_PROOF",
    "ORDER_GONE",
    "Removal",
    "listed_rows",
    "named_by_rules",
    "named_still",
    "read_me",
    "removed_table",
    "write_cleaned",
]
