"""Writes what the repository derives from the code: pages on metrics and on the policy's fields.

``python -m privgate.testing.generate`` writes, with ``--check`` it only says what is not fresh.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from privgate.metrics import all_metrics
from privgate.metrics.description import describe
from privgate.testing.policy_reference import policy_reference

if TYPE_CHECKING:
    from collections.abc import Sequence


def generated_files(root: Path) -> dict[Path, str]:
    """Return every generated file of a checkout with the content it should have."""
    metrics = all_metrics()
    files = {
        root / "docs" / "metrics" / f"{name}.md": describe(metric)
        for name, metric in metrics.items()
    }
    heading = (
        "# Metrics\n\nAttacks simulate an adversary; screens look at distances and copies, and can "
        "stop a release but never\nclear it. Each page is generated from the metric's card.\n\n"
    )
    names = f"\n## Names in the review arXiv 2507.11324\n\n{review_table()}"
    files[root / "docs" / "metrics" / "README.md"] = heading + metric_table() + names
    files[root / "docs" / "policy-reference.md"] = policy_reference()
    return files


def metric_table() -> str:
    """Return all metrics as a Markdown table that links to their pages."""
    lines = ["| metric | kind | question | can satisfy |", "|--|--|--|--|"]
    for name, metric in all_metrics().items():
        card = metric.card
        satisfies = ", ".join(card.can_satisfy).replace("_", " ") or "–"
        lines.append(f"| [{name}]({name}.md) | {card.family} | {card.question} | {satisfies} |")
    return "\n".join(lines) + "\n"


def review_table() -> str:
    """Return the review's short name of each metric that has one, beside its name here."""
    named = sorted(
        (metric.card.review_name.lower(), metric.card.review_name, name)
        for name, metric in all_metrics().items()
        if metric.card.review_name
    )
    lines = ["| the review's name | metric here |", "|--|--|"]
    lines += [f"| {review_name} | [{name}]({name}.md) |" for _, review_name, name in named]
    return "\n".join(lines) + "\n"


def stale_files(root: Path) -> list[Path]:
    """Return the generated files that are missing, outdated, or no longer made."""
    wanted = generated_files(root)
    outdated = [
        path
        for path, text in wanted.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    found = set(root.glob("docs/metrics/*.md"))
    return sorted({*outdated, *(found - set(wanted))})


def main(arguments: Sequence[str]) -> int:
    """Write the generated files of the checkout, or check them; return 1 if one is not fresh."""
    root = Path(__file__).parents[2]
    stale = stale_files(root)
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(root)} is not fresh: run `make generate`\n")
        return int(bool(stale))
    wanted = generated_files(root)
    for path in stale:
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
        sys.stderr.write(f"wrote {path.relative_to(root)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
