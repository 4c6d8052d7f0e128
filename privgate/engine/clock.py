"""The time that goes into evidence."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from privgate.errors import InputError, Problem


def now() -> datetime:
    """Return the time of this run in UTC, whole seconds; SOURCE_DATE_EPOCH decides if it is set.

    Raises
    ------
    InputError
        If SOURCE_DATE_EPOCH is set and not a number of seconds since 1970.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.now(UTC).replace(microsecond=0)
    unusable = InputError(
        Problem(
            f"SOURCE_DATE_EPOCH is {given!r}",
            remedy="give whole seconds since 1970-01-01 UTC, or unset it",
        )
    )
    if not (given.isascii() and given.isdigit()):
        raise unusable
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError) as cause:
        raise unusable from cause
