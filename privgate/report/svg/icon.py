"""The signs that stand beside an outcome's name."""

from __future__ import annotations

from privgate.report.svg.frame import INK, TONES

_SIGNS = {
    "met": '<path d="M5 10.5l3.2 3.2L15 6.8"/>',
    "violated": '<path d="M6 6l8 8M14 6l-8 8"/>',
    "not_assessed": '<path d="M7.2 7.6a2.8 2.8 0 1 1 4.1 2.5c-.9.5-1.3 1-1.3 1.9M10 14.9v.1"/>',
    "waived": '<path d="M5 11c1.7-2.6 3.3-2.6 5 0s3.300 2.600 5 0"/>',
}


def icon(outcome: str) -> str:
    """Return the sign of an outcome; its name must stand beside it in words."""
    return (
        '<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" '
        f'focusable="false" fill="none" stroke="{TONES.get(outcome, INK)}" stroke-width="2" '
        f'stroke-linecap="round" stroke-linejoin="round">{_SIGNS.get(outcome, "")}</svg>'
    )
