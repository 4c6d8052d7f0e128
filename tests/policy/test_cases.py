import pytest

from privgate.errors import PolicyError
from privgate.evidence import canonical_bytes
from privgate.policy.cases import cases_beside, open_cases
from privgate.policy.stated_evidence import RowCounts, Stated, stated_evidence


@pytest.fixture(scope="module")
def bound(bench):
    gap = bench.rule(id="gap")
    count = bench.rule(id="count", metric="privet", measure="npl", require={"equals": 0})
    again = bench.rule(id="gap-again", require={"max": 0.2}, severity="advisory")
    return bench.bind([gap, count, again], requires={"holdout": True, "min_rows": {"train": 50}})


HEAD = "privgate: policy-tests/v1\n"
WHOLE = (
    HEAD
    + """exempt:
  - {leak: near-copies, reason: only equal rows are looked for}
tests:
  - name: an honest release
    figures:
      gap: {value: 0.01, low: -0.01, high: 0.03, n: 900}
      count: 0
    expect: met
    rules: {gap-again: met}
  - name: too small
    figures: {gap: {value: 0.01, low: -0.2, high: 0.22}, count: 0}
    expect: not_assessed
    rules: {gap: not_assessed, count: met}
  - name: a copy
    figures: {count: 3}
    expect: violated
  - name: few people
    figures: {gap: {value: 0.01, low: -0.01, high: 0.03}, count: 0}
    rows: {train: 40}
    expect: not_assessed
  - name: no holdout
    figures: {gap: {value: 0.01, low: -0.01, high: 0.03}, count: 0}
    rows: {holdout: null}
    expect: not_assessed
  - name: a holdout that repeats train
    figures: {gap: {value: 0.01, low: -0.01, high: 0.03}, count: 0}
    holdout_overlap: 0.5
    expect: not_assessed
"""
)


def opened(text, bound, tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    return open_cases(path, bound)


def test_every_case_comes_out_as_it_says(bound, tmp_path):
    cases = opened(WHOLE, bound, tmp_path)
    assert cases.exempt == {"near-copies": "only equal rows are looked for"}
    assert [(it.name, it.differences) for it in cases.results(bound)] == [
        ("an honest release", ()),
        ("too small", ()),
        ("a copy", ()),
        ("few people", ()),
        ("no holdout", ()),
        ("a holdout that repeats train", ()),
    ]


def test_a_difference_says_what_was_expected_and_what_came(bound, tmp_path):
    text = HEAD + "tests: [{name: wrong, figures: {count: 1}, expect: met, rules: {count: met}}]"
    (result,) = opened(text, bound, tmp_path).results(bound)
    overall, rule = result.differences
    assert "expected met, is violated" in overall
    assert "rule 'count': expected met, is violated (The value breaks the limit" in rule


def test_what_is_not_stated_was_not_measured(bound, tmp_path):
    text = HEAD + "tests: [{name: half, figures: {count: 0}, expect: met}]"
    (result,) = opened(text, bound, tmp_path).results(bound)
    assert "expected met, is not assessed" in result.differences[0]


def test_a_stored_evidence_can_be_named(bound, tmp_path):
    evidence = stated_evidence(
        bound, {"count": Stated(value=2)}, rows=RowCounts(), holdout_overlap=0
    )
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "evidence.json").write_bytes(canonical_bytes(evidence))
    text = HEAD + "tests: [{name: x, evidence: found/evidence.json, expect: violated}]"
    assert opened(text, bound, tmp_path).results(bound)[0].differences == ()


CASE = "tests: [{name: x, figures: {count: 0}, expect: met}]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tests: []", ["'privgate' is missing"]),
        ("privgate: policy/v1\n" + CASE, ["cases.yaml:1: privgate: this is a policy file"]),
        (HEAD + CASE.replace("expect", "expects"), ["cases.yaml:2: tests[0].expects: unknown key"]),
        (HEAD + CASE.replace("met", "passed"), ["tests[0].expect: 'passed' is not one of"]),
        (HEAD + CASE.replace("met", "waived"), ["tests[0].expect: 'waived' is not one of"]),
        (HEAD + CASE.replace("count:", "cuont:"), ["tests[0].figures.cuont", "mean 'count'?"]),
        (HEAD + CASE.replace("count: 0", "count: 9%"), ["tests[0].figures.count", "write 0.09"]),
        (HEAD + CASE.replace("count: 0", "count: .nan"), ["tests[0].figures.count", "finite"]),
        (HEAD + CASE.replace("count: 0", "count: -1"), ["figures.count", "between 0 and inf"]),
        (HEAD + CASE.replace("figures: {count: 0}, ", ""), ["either figures or the path"]),
        (HEAD + CASE.replace("0}", "0}, evidence: e.json"), ["either figures or the path"]),
        (
            HEAD + CASE.replace("figures: {count: 0}", "evidence: none.json"),
            ["tests[0].evidence: the evidence 'none.json' cannot be read"],
        ),
        (
            HEAD + CASE.replace("figures: {count: 0}", "evidence: cases.yaml"),
            ["tests[0].evidence: 'cases.yaml' is no evidence"],
        ),
        (
            HEAD + CASE.replace("figures: {count: 0}", "evidence: x.json, rows: {train: 3}"),
            ["remove rows, holdout_overlap and declared"],
        ),
        (HEAD + CASE[:-1] + CASE[7:].replace("[", ", "), ["'x' is already tests[0]"]),
        (HEAD + CASE.replace("met}", "met, rules: {cuont: met}}"), ["rules.cuont: the policy 'p'"]),
        (
            HEAD + CASE.replace("count: 0", "gap: {value: 1, low: 2, high: 3}"),
            ["tests[0].figures.gap: the value lies outside its interval"],
        ),
        (
            HEAD + CASE.replace("count: 0", "gap: {value: 1, low: 0}"),
            ["tests[0].figures.gap: an interval has two ends"],
        ),
        (
            HEAD + CASE.replace("count: 0", "gap: 0.1, gap-again: 0.2"),
            ["figures.gap-again: the rule 'gap' judges the same figure"],
        ),
        (HEAD + "exempt: [{leak: copies}]", ["exempt[0].reason: 'reason' is missing"]),
    ],
)
def test_mistakes_are_named_with_their_place(bound, tmp_path, text, words):
    with pytest.raises(PolicyError) as caught:
        opened(text, bound, tmp_path)
    found = str(caught.value)
    assert all(word in found for word in words), found


def test_all_mistakes_are_named_at_once(bound, tmp_path):
    text = HEAD + (
        "tests:\n- {name: a, figures: {cuont: 0}, expect: met}\n"
        "- {name: b, figures: {count: -1}, expect: met}\n"
        "- {name: c, evidence: none.json, expect: met}\n"
    )
    with pytest.raises(PolicyError) as caught:
        opened(text, bound, tmp_path)
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5]


def test_cases_lie_in_the_folder_tests_beside_the_policy(tmp_path):
    assert cases_beside(tmp_path / "ward.yaml") == tmp_path / "tests" / "ward.yaml"
