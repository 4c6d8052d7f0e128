"""The numbered sections of the report. Numbers are fixed: readers cite them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privgate.report.sections import (
    annex,
    changes,
    criteria,
    groups,
    judgement,
    power,
    release,
    results,
    waivers,
)

if TYPE_CHECKING:
    from privgate.report.blocks import Section
    from privgate.report.subject import Subject


def numbered_sections(subject: Subject) -> tuple[Section, ...]:
    """Return sections 2 to 20; 21 if there was an earlier check, 22 if utility was measured.

    0 and 1 come before them.
    """
    return (
        judgement.verdict_section(subject),
        release.purpose_section(subject),
        release.roles_section(subject),
        release.data_section(subject),
        release.columns_section(subject),
        release.generator_section(subject),
        results.threats_section(subject),
        criteria.criteria_section(subject),
        results.nearness_section(subject),
        groups.groups_section(subject),
        power.power_section(subject),
        judgement.assumptions_section(subject),
        judgement.limits_section(subject),
        judgement.residual_section(subject),
        waivers.waivers_section(subject),
        judgement.signoff_section(subject),
        judgement.review_section(subject),
        annex.reproducibility_section(subject),
        annex.glossary_section(subject),
        *changes.changes_section(subject),
        *results.utility_section(subject),
    )
