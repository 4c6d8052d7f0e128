from __future__ import annotations

import re
import tomllib

from privgate.evidence import Criterion
from privgate.policy.verdict import Outcome
from privgate.resources import resource_folder

LITERAL = re.compile(r"words(?:\.listed|\.entries)?\(\s*['\"]([a-z_]+(?:\.[a-z_]+)+)['\"]")
PATTERN = re.compile(r"words\(\s*f\"([a-z_.]+)\{")


def catalogue():
    path = resource_folder("templates") / "wording" / "en.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def keys(table, prefix=""):
    for name, value in table.items():
        if isinstance(value, dict):
            yield from keys(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def sources(pytestconfig):
    files = [*(pytestconfig.rootpath / "privgate" / "report").rglob("*.py")]
    files += (resource_folder("templates") / "report").glob("*.j2")
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_every_text_that_is_asked_for_is_there(pytestconfig):
    known, text = set(keys(catalogue())), sources(pytestconfig)
    asked = set(LITERAL.findall(text))
    assert len(asked) > 80
    assert asked <= known
    for prefix in PATTERN.findall(text):
        assert any(key.startswith(prefix) for key in known), prefix


def test_every_outcome_and_criterion_has_words():
    known = set(keys(catalogue()))
    assert {f"outcome.{outcome}" for outcome in Outcome} <= known
    findings = set(Outcome) - {Outcome.WAIVED}
    assert {f"withheld.reason_{finding}" for finding in findings} <= known
    for section in ("outcome", "headline", "gate"):
        assert f"{section}.met_waived" in known
    for section in ("criterion", "next", "risk_words"):
        assert {f"{section}.{criterion}" for criterion in Criterion} <= known


def test_wording_promises_nothing_it_must_not():
    text = str(catalogue()).lower()
    assert not re.search(r"anonymous|gdpr compliant|certified safe", text)
