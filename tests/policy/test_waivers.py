from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from privgate.errors import PolicyError
from privgate.evidence import canonical_bytes
from privgate.policy import (
    Outcome,
    Verdict,
    Waiver,
    check,
    lint_waivers,
    load_waivers,
    waivers_from_text,
    waivers_of,
)

DIGESTS = {
    "synthetic": "a" * 64,
    "train": "b" * 64,
    "content": "1" * 63 + "c",
    "another": "d" * 64,
    "short": "a" * 32,
    "capitals": "A" * 64,
}
COMPLETE = {
    "rule": "the-rule",
    "reason": "two records agree by chance",
    "approved_by": "A. Example, data protection officer",
    "granted": "2026-01-01",
    "expires": "2026-01-31",
    "release_sha256": "synthetic",
}
STATES = {
    "met": {"figures": {"gap": [0.0, -0.01, 0.01, 900]}},
    "violated": {"figures": {"gap": [0.2, 0.1, 0.3, 900]}},
    "not_assessed": {"figures": {"gap": [0.04, 0.0, 0.08, 900]}},
    "unknown": {"figures": {"gap": "too few records"}},
    "failed": {"status": "failed", "reason": "out of memory"},
}
WITHOUT = {name: name if name in ("met", "violated") else "not_assessed" for name in STATES}
TODAY = "2026-01-10"


def entry(changes=(), without=()):
    full = COMPLETE | dict(changes)
    full["release_sha256"] = DIGESTS.get(full["release_sha256"], full["release_sha256"])
    if full["reason"] == "long":
        full["reason"] = "x" * 2001
    return {name: value for name, value in full.items() if name not in without}


def listed(*entries):
    return waivers_from_text(json.dumps({"privgate": "waivers/v1", "waivers": entries}))


def at(evidence, moment):
    """Return evidence of a run at a moment, each table with a digest of its own."""
    tables = {
        name: table.model_copy(
            update={
                "sha256": DIGESTS.get(name, "e" * 64),
                "content_sha256": DIGESTS["content"] if name == "synthetic" else "2" * 64,
            }
        )
        for name, table in evidence.release.tables.items()
    }
    release = evidence.release.model_copy(update={"tables": tables})
    run = evidence.run.model_copy(update={"created": moment})
    return evidence.model_copy(update={"release": release, "run": run})


def moment_of(case):
    if "now" in case:
        return datetime.fromisoformat(case["now"])
    return datetime.fromisoformat(f"{case.get('today', TODAY)}T12:00:00+00:00")


def situation(bench, case):
    """Return the bound policy and the evidence of a case."""
    rules = [bench.rule(**case.get("rule", {}))]
    measured = {"guess": STATES[case["state"]]}
    if "beside" in case:
        rules.append(bench.rule(id="beside", **case["beside"]))
        measured["privet"] = {"figures": case["figures"]}
    bound = bench.bind(rules, **case.get("policy", {}))
    evidence = bench.evidence(bound, measured, rows=case.get("rows"))
    return bound, at(evidence, moment_of(case))


def waivers_in(case):
    if "waivers" in case:
        return listed(*(entry(changes) for changes in case["waivers"]))
    if "entry" in case:
        return listed(case["entry"])
    return listed(entry(case.get("waiver", {}), case.get("without", ())))


def test_waiver(bench, waivers_case):
    case = waivers_case
    bound, evidence = situation(bench, case)
    verdict = check(bound, evidence, waivers=waivers_in(case))
    counted = [waiver.counted for waiver in verdict.waivers]
    assert counted == case.get("each_counted", [case.get("counted")])
    assert case.get("why", "it ") in " ".join(told.why for told in verdict.waivers)
    before = WITHOUT[case["state"]]
    assert verdict.rules[0].outcome == case.get("rule_outcome", before)
    assert verdict.rules[0].finding == before
    assert verdict.outcome == case.get("outcome", before)
    assert verdict.exit_code == {"met": 0, "violated": 1, "not_assessed": 3}[verdict.outcome]
    if "other" in case:
        assert verdict.rules[1].outcome == case["other"]
    if "approved_by" in case:
        assert verdict.rules[0].waiver.approved_by == case["approved_by"]
    assert {name: c.satisfied for name, c in verdict.coverage.items()} == case.get("covered", {})
    assert Verdict.model_validate_json(canonical_bytes(verdict)) == verdict
    again = waivers_from_text(verdict.waivers_file.text)
    assert check(bound, evidence, waivers=again) == verdict


def test_a_waiver_that_does_not_count_changes_no_outcome_and_no_reason(bench, waivers_case):
    case = waivers_case
    bound, evidence = situation(bench, case)
    verdict = check(bound, evidence, waivers=waivers_in(case))
    if not any(waiver.counted for waiver in verdict.waivers):
        plain = verdict.model_copy(update={"waivers": (), "waivers_file": None})
        assert plain == check(bound, evidence)


def test_the_table_of_cases_is_not_one_sided(bench, waivers_case):
    """No case would come out the same without looking: what counts changes a rule."""
    bound, evidence = situation(bench, waivers_case)
    verdict = check(bound, evidence, waivers=waivers_in(waivers_case))
    plain = check(bound, evidence)
    changed = verdict.rules != plain.rules
    assert changed is any(waiver.counted for waiver in verdict.waivers)


def test_the_verdict_holds_what_was_applied_and_the_finding(bench):
    case = {"state": "violated"}
    bound, evidence = situation(bench, case)
    given = entry({"compensating_measure": "the archive is closed"})
    verdict = check(bound, evidence, waivers=listed(given))
    rule, (told,), file = verdict.rules[0], verdict.waivers, verdict.waivers_file
    assert rule.waiver.model_dump(mode="json") == {
        "finding": "violated",
        **{name: given[name] for name in given if name not in ("rule", "release_sha256")},
    }
    assert rule.reason == check(bound, evidence).rules[0].reason
    assert told.model_dump(mode="json", include=set(given)) == given
    assert (file.day, told.position, told.line) == (date(2026, 1, 10), 0, 1)
    assert "waived" in verdict.reasons[-1]
    assert verdict.reasons[0].startswith("Blocking rule 'the-rule' is violated.")
    assert verdict.reasons[0].endswith("A waiver covers this finding.")
    assert "Nothing stands" not in " ".join(verdict.reasons)


def test_what_cannot_be_read_is_kept_as_far_as_it_can_be_printed(bench):
    bound, evidence = situation(bench, {"state": "violated"})
    given = entry({"reason": "a\u202eb\x00" + "x" * 9000, "approved_by": 7})
    (told,) = check(bound, evidence, waivers=listed(given)).waivers
    assert told.reason.startswith("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}x")
    assert len(told.reason) == 2000
    assert told.approved_by is None
    assert told.rule == "the-rule"
    assert (told.counted, len(told.why) <= 2000) == (False, True)


def test_a_file_without_waivers_and_no_file_differ_only_in_what_was_given(bench):
    bound, evidence = situation(bench, {"state": "violated"})
    empty = check(bound, evidence, waivers=listed())
    assert empty.waivers == ()
    assert empty.waivers_file is not None
    assert empty.model_copy(update={"waivers_file": None}) == check(bound, evidence)


def test_waivers_in_python_and_in_a_file_are_the_same(bench):
    bound, evidence = situation(bench, {"state": "violated"})
    waiver = Waiver.model_validate_json(json.dumps(entry()), strict=True)
    given = entry() | {"granted": date(2026, 1, 1), "expires": date(2026, 1, 31)}
    assert Waiver(**given) == waiver
    one = check(bound, evidence, waivers=[waiver])
    other = check(bound, evidence, waivers=listed(entry()))
    assert one.outcome is Outcome.MET
    assert one.rules == other.rules
    assert one.waivers == other.waivers
    forged = Waiver.model_construct(**given | {"approved_by": ""})
    assert check(bound, evidence, waivers=[forged]).outcome is Outcome.VIOLATED


def test_a_waived_rule_without_waiver_cannot_be_stored(bench):
    bound, evidence = situation(bench, {"state": "violated"})
    waived = check(bound, evidence, waivers=listed(entry())).rules[0].model_dump()
    for changes in ({"waiver": None}, {"outcome": "met"}, {"outcome": "violated"}):
        with pytest.raises(ValidationError, match="exactly if a waiver covers it"):
            type(check(bound, evidence).rules[0]).model_validate(waived | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("- {rule: a}", "no keys at its top level"),
        ("privgate: waivers/v1\nwaivers: [", "w.yaml:2: the YAML cannot be read"),
        ("waivers: []", "'privgate' is missing"),
        ("privgate: waivers/v1", "'waivers' is missing"),
        ("privgate: waivers/v2\nwaivers: []", "w.yaml:1: privgate: 'waivers/v2'"),
        ("privgate: policy/v1\nwaivers: []", "this is a policy file; give a waivers file here"),
        ("privgate: waivers/v1\nwaivers:", "w.yaml:2: waivers: the value should be a valid array"),
        ("privgate: waivers/v1\nwaivers: {rule: a}", "w.yaml:2: waivers:"),
        ("privgate: waivers/v1\nwaivers: []\nrules: []", "w.yaml:3: rules: unknown key"),
        ("privgate: waivers/v1\nwaivers: [{rule: a, rule: b}]", "the key 'rule' is given twice"),
        ("privgate: waivers/v1\nwaivers: [&a {rule: b}, *a]", "an alias repeats another entry"),
        ("privgate: waivers/v1\nwaivers: [{rule: !x b}]", "tags ('!…') are not allowed"),
    ],
)
def test_a_file_whose_meaning_is_not_certain_is_refused_whole(tmp_path, text, words):
    path = tmp_path / "w.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(PolicyError) as raised:
        load_waivers(path)
    assert words in str(raised.value)


YAML_FILE = """\
privgate: waivers/v1
waivers:
  - rule: the-rule
    reason: >
      two records agree
      by chance
    approved_by: "A. Example"
    granted: 2026-01-01
    expires: 2026-01-31
    release_sha256: {digest}
  - rule: the-rule
    expires: tomorrow
"""


def test_a_file_gives_lines_and_all_problems(tmp_path, bench):
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + YAML_FILE.format(digest="a" * 64).encode())
    bound, evidence = situation(bench, {"state": "violated"})
    waivers = load_waivers(path)
    found = check(bound, evidence, waivers=waivers)
    assert found.outcome is Outcome.MET
    assert found.waivers[0].reason == "two records agree by chance\n"
    assert [waiver.line for waiver in found.waivers] == [3, 11]
    assert [str(problem).removeprefix(str(path)) for problem in waivers.entries[1].problems] == [
        ":11: waivers[1].reason: 'reason' is missing; add it",
        ":11: waivers[1].approved_by: 'approved_by' is missing; add it",
        ":11: waivers[1].granted: 'granted' is missing; add it",
        ":12: waivers[1].expires: 'tomorrow' is no day; write YYYY-MM-DD",
        ":11: waivers[1].release_sha256: 'release_sha256' is missing; add it",
    ]


messy = st.fixed_dictionaries(
    {},
    optional={
        "rule": st.sampled_from(["a", "b", "c", "", None]),
        "reason": st.sampled_from(["so", "", 3]),
        "approved_by": st.sampled_from(["me", None]),
        "granted": st.sampled_from(["2025-12-01", "2026-01-10", "2026-01-11", "soon"]),
        "expires": st.sampled_from(["2026-01-09", "2026-01-10", "2027-01-01"]),
        "release_sha256": st.sampled_from([*DIGESTS.values(), "", None]),
        "note": st.just("x"),
    },
)
nearly = messy.map(lambda changes: entry({"rule": "a"}) | changes)
states = st.sampled_from(["met", "violated", "not_assessed", "unknown"])


def two_rules(bench, first, second, policy):
    rules = [
        bench.rule(id="a", waivable=policy),
        bench.rule(id="b", metric="privet", require={"equals": 0}),
    ]
    bound = bench.bind(rules)
    measured = {"guess": STATES[first], "privet": {"figures": {"npl": int(second != "met")}}}
    moment = datetime(2026, 1, 10, 12, tzinfo=UTC)
    return bound, at(bench.evidence(bound, measured), moment)


@given(st.lists(st.one_of(messy, nearly), max_size=4), states, states, st.booleans())
def test_waivers_only_turn_a_named_finding_into_waived(bench, entries, first, second, waivable):
    bound, evidence = two_rules(bench, first, second, waivable)
    plain = check(bound, evidence)
    found = check(bound, evidence, waivers=listed(*entries))
    counted = [waiver.rule for waiver in found.waivers if waiver.counted]
    assert len(counted) == len(set(counted))
    assert len(found.waivers) == len(entries)
    for before, after in zip(plain.rules, found.rules, strict=True):
        if before.id in counted:
            assert before.outcome in {Outcome.VIOLATED, Outcome.NOT_ASSESSED}
            assert after.outcome is Outcome.WAIVED
            back = {"outcome": after.finding, "waiver": None}
            assert after.model_copy(update=back) == before
        else:
            assert after == before
    assert waivable or "a" not in counted
    assert found.evidence_sha256 == plain.evidence_sha256
    blocked = [rule for rule in found.rules if rule.outcome in {"violated", "not_assessed"}]
    assert (found.outcome is Outcome.MET) is not bool(blocked)


@given(st.lists(nearly, min_size=1, max_size=3), st.lists(nearly, max_size=2), states)
def test_a_further_waiver_never_takes_one_away(bench, entries, more, first):
    bound, evidence = two_rules(bench, first, "violated", policy=True)
    few = check(bound, evidence, waivers=listed(*entries))
    many = check(bound, evidence, waivers=listed(*entries, *more))
    assert many.waivers[: len(entries)] == few.waivers
    for before, after in zip(few.rules, many.rules, strict=True):
        assert after == before or after.outcome is Outcome.WAIVED


LINTED = {"the-rule": {}, "fixed": {"waivable": False, "require": {"max": 0.1}}}


def lint(bench, *entries, today=TODAY, policy=(), sha256=DIGESTS["synthetic"], extra=()):
    rules = [bench.rule(id=name, **given) for name, given in LINTED.items()]
    bound = bench.bind([*rules, *extra], **dict(policy))
    day = date.fromisoformat(today)
    return lint_waivers(listed(*entries), day, policy=bound, synthetic_sha256=sha256)


@pytest.mark.parametrize(
    ("changes", "today", "words"),
    [
        ({"rule": "the-rul"}, TODAY, "error: waivers:1: waivers[0].rule: the policy has no rule"),
        ({"rule": "fixed"}, TODAY, "error: waivers:1: waivers[0].rule: the policy does not let"),
        ({"release_sha256": "another"}, TODAY, "error: waivers:1: waivers[0].release_sha256:"),
        ({}, "2026-02-01", "error: waivers:1: waivers[0].expires: it expired on 2026-01-31"),
        ({}, "2025-12-31", "warning: waivers:1: waivers[0].granted: it is granted from"),
        ({"reason": ""}, TODAY, "error: waivers:1: waivers[0].reason:"),
        ({"rule": "beside"}, TODAY, "note: waivers:1: waivers[0].rule: the rule is advisory"),
    ],
)
def test_lint_finds(bench, changes, today, words):
    beside = bench.rule(id="beside", metric="copies", severity="advisory")
    (found,) = lint(bench, entry(changes), today=today, extra=[beside])
    assert str(found).startswith(words)


def test_lint_is_silent_on_a_waiver_that_counts(bench):
    assert lint(bench, entry()) == []


def test_lint_says_nothing_about_what_it_was_not_given():
    day = date.fromisoformat(TODAY)
    given = entry({"rule": "unheard-of", "release_sha256": "another"})
    assert lint_waivers(listed(given), day) == []


def test_lint_tells_of_a_second_waiver_and_of_coverage(bench):
    required = {"requires": {"coverage": ["inference"]}}
    other = bench.rule(id="other", require={"max": 0.2})
    assert lint(bench, entry(), policy=required, extra=[other]) == []
    both = [entry(), entry({"rule": "other"}), entry({"approved_by": "another"})]
    bound = bench.bind([bench.rule(), other], **required)
    day = date.fromisoformat(TODAY)
    found = lint_waivers(listed(*both), day, policy=bound)
    texts = [str(finding) for finding in found]
    assert sum("only waived rules could satisfy 'inference'" in text for text in texts) == 3
    assert sum("waivers[0] names the same rule" in text for text in texts) == 1
    assert all(text.startswith("warning: ") for text in texts)


def test_waivers_of_nothing_is_a_file_with_none():
    assert waivers_of([]).entries == ()
