from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from jinja2 import DictLoader, Environment, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from rich.console import Console

from privgate.errors import IntegrityError, RenderError
from privgate.evidence import (
    ArrayFacts,
    Card,
    ColumnFacts,
    Estimate,
    Family,
    unknown,
)
from privgate.policy.verdict import Outcome, PolicyReference, RequirementVerdict
from privgate.report import Audience, build_view, render_html
from privgate.report import html as html_module
from privgate.report.formats import render_text, verdict_table
from privgate.report.names import legible
from privgate.report.wording import load_wording

OUTCOMES = ("met", "violated", "not_assessed")
FORBIDDEN = re.compile(r"anonymous|gdpr[- ]compliant|certified safe", re.IGNORECASE)


class Text(HTMLParser):
    """Collects what a reader sees, and the ids and references of the document."""

    def __init__(self):
        super().__init__()
        self.texts, self.ids, self.links, self.tags, self.hidden = [], [], [], [], 0

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.hidden += tag == "style"
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src") if name in found]

    def handle_endtag(self, tag):
        self.hidden -= tag == "style"

    def handle_data(self, data):
        if not self.hidden:
            self.texts.append(data)


def parsed(html):
    text = Text()
    text.feed(html)
    return text


def seen(html):
    return " ".join(" ".join(parsed(html).texts).split())


def html_of(evidence, verdict, audience=Audience.SHAREABLE):
    return render_html(build_view(evidence, verdict, audience=audience))


def with_diagnostics(sample, diagnostics):
    """Return a sample whose third measurement has the given diagnostics."""
    evidence, _ = sample.sample("met")
    changed = evidence.measurements[2].model_copy(update={"diagnostics": diagnostics})
    others = [m for m in evidence.measurements if m.id != changed.id]
    return altered(sample, measurements=(changed, *others))


def altered(sample, name="met", **changes):
    """Return a sample whose evidence is changed, and a verdict on that."""
    evidence, verdict = sample.sample(name)
    evidence = evidence.model_copy(update=changes)
    return evidence, sample.judge(evidence, Outcome(name), verdict.rules)


@pytest.mark.parametrize("name", [*OUTCOMES, "huge", "nasty"])
def test_report_is_what_was_reviewed(case, golden, name):
    evidence, verdict = case(name)
    golden(f"{name}.html", html_of(evidence, verdict))
    golden(f"{name}.txt", render_text(verdict, evidence))


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("name", OUTCOMES)
def test_every_rule_and_figure_of_the_verdict_is_there(sample, name, audience):
    evidence, verdict = sample.sample(name)
    text = seen(html_of(evidence, verdict, audience))
    for rule in verdict.rules:
        assert rule.id in text
        assert evidence.cards[rule.metric].figures[rule.measure].title in text
        assert rule.rationale in text
        assert rule.source["ref"] in text
    for card in evidence.cards.values():
        assert card.formula in text
        assert all(limit in text for limit in (*card.limits, *card.references))
    for digest in (verdict.evidence_sha256, verdict.policy.sha256):
        assert digest in text


@pytest.mark.parametrize("name", OUTCOMES)
def test_words_are_honest_and_nothing_is_left_unsaid(sample, name):
    html = html_of(*sample.sample(name))
    assert not FORBIDDEN.search(html)
    assert not re.search(r"\b(None|nan|NaN|inf|Undefined)\b", seen(html))
    assert "not stated in the release file" in html
    assert load_wording("en")(f"headline.{name}") in html


def test_a_passing_check_says_what_it_did_not_detect(sample):
    text = seen(html_of(*sample.sample("met")))
    assert "No copying or unusual nearness beyond the limit detected by this check." in text
    assert "No inference of private details beyond the limit detected by this check." in text


def test_a_policy_that_extends_others_is_printed_whole(sample):
    evidence, verdict = sample.sample("met")
    parents = (PolicyReference(id="base", version="1.4.0", sha256="a1" * 32),)
    changes = {"parents": parents, "resolved": "id: demo  # from demo 1.0.0\n"}
    policy = verdict.policy.model_copy(update=changes)
    text = seen(html_of(evidence, verdict.model_copy(update={"policy": policy})))
    for said in ("base 1.4.0", "a1" * 32, "id: demo # from demo 1.0.0", "everything it extends"):
        assert said in text
    assert policy.text.split()[0] in text
    assert "everything it extends" not in seen(html_of(evidence, verdict))


def test_report_is_one_file_with_valid_references(sample):
    html = html_of(*sample.sample("violated"))
    document = parsed(html)
    assert len(document.ids) == len(set(document.ids))
    assert all(link.removeprefix("#") in document.ids for link in document.links)
    assert not {"script", "link", "img", "iframe"} & set(document.tags)
    assert {"main", "nav", "header", "footer", "caption"} <= set(document.tags)
    assert "url(" not in html
    assert "@import" not in html


def test_sections_carry_their_fixed_numbers(sample):
    view = build_view(*sample.sample("met"), audience=Audience.SHAREABLE)
    assert [section.number for section in view.sections] == list(range(2, 21))


def test_small_counts_stay_inside(sample):
    evidence, verdict = sample.sample("violated")
    shareable, internal = (seen(html_of(evidence, verdict, who)) for who in Audience)
    assert "(no-leaks): 7; the policy requires exactly 0." in internal
    assert "(no-leaks): 7" not in shareable
    assert "7 records" not in shareable
    assert "0.065%" in internal  # three holdout rows of 4,637
    assert "0.065%" not in shareable
    assert "<11" in shareable
    assert "n_ties" in internal
    assert "n_ties" not in shareable
    assert "(no-leaks): 7" not in render_text(verdict, evidence)
    assert "7 records" not in render_text(verdict, evidence)


def test_violated_release_is_told_what_to_do(sample):
    text = seen(html_of(*sample.sample("violated")))
    assert "drop them from the synthetic table, or train the generator again" in text
    assert "Every new attempt is judged again in full." in text
    assert "Decided by: net_assets." in text


def test_reasons_speak_the_units_of_the_tables(sample):
    evidence, verdict = sample.sample("violated")
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE)
    line = (
        "(copied-records): +3.3 percentage points, at worst +3.9 percentage points; the policy "
        "allows at most 0.5 percentage points."
    )
    assert any(reason.endswith(line) for reason in view.reasons)
    assert not any(" pp" in reason for reason in view.reasons)
    html = seen(render_html(view))
    assert html.count(line) == 1
    assert "+3.3 pp, at worst +3.9 pp; the policy allows at most 0.5 pp." in html
    assert "policy allows at most 0.5 percentage points" in html
    assert "0.005" not in render_text(verdict, evidence)
    assert not any(rule.reason in html for rule in verdict.rules if rule.value is not None)


def test_demands_have_friendly_names_and_units(sample):
    evidence, verdict = sample.sample("not_assessed")
    overlap = {"name": "max_holdout_overlap", "required": 0.001, "reason": "raw words"}
    demands = (
        RequirementVerdict(**overlap, seen=0.0123, satisfied=False),
        RequirementVerdict(**overlap, seen=None, satisfied=False),
        RequirementVerdict(
            name="min_rows.train", required=5000, seen=4000, satisfied=False, reason="raw words"
        ),
        RequirementVerdict(
            name="holdout", required=True, seen=False, satisfied=False, reason="raw words"
        ),
        RequirementVerdict(
            name="acme_demand", required="x", seen=0.5, satisfied=False, reason="acme says so"
        ),
    )
    verdict = verdict.model_copy(update={"requirements": demands})
    text = seen(html_of(evidence, verdict))
    overlapping = "Holdout rows that are also train rows"
    assert f"{overlapping}: 1.2%; the policy allows at most 0.1%." in text
    assert f"{overlapping}: not known; the policy allows at most 0.1%." in text
    assert "Rows in train: 4,000; the policy requires at least 5,000." in text
    assert "A holdout table: no; the policy requires it." in text
    assert "acme says so" in text
    assert "raw words" not in text
    assert "min rows" not in text


def test_rules_with_one_question_share_it_in_the_summary(sample):
    evidence, verdict = sample.sample("violated")
    summary = build_view(evidence, verdict, audience=Audience.SHAREABLE).summary
    questions = [finding.question for finding in summary.findings]
    assert len(questions) == len(set(questions)) == 5
    assert sum(len(finding.answers) for finding in summary.findings) == len(verdict.rules)


def test_an_attack_that_gave_no_figures_was_not_played(sample):
    text = seen(html_of(*sample.sample("not_assessed")))
    assert "was to be played, but gave no figures" in text
    assert "Membership: no attack that was run speaks to it." in text
    assert "Membership: no attack" not in seen(html_of(*sample.sample("met")))


def test_inconclusive_release_is_told_how_many_records_it_needs(sample):
    text = seen(html_of(*sample.sample("not_assessed")))
    assert "Rule “nearness” needs about 21,000 records" in text
    assert "too few records" in text


@pytest.mark.parametrize("place", range(10))
def test_hostile_names_are_text_everywhere(sample, hard_cases, place):
    nasty = hard_cases.HOSTILE[place]
    evidence, _ = sample.sample("met")
    column = ColumnFacts(name=nasty, type="numeric", role="other", treatment=nasty)
    release = evidence.release.model_copy(
        update={"name": nasty, "columns": (column,), "context": {nasty: nasty}, "notes": (nasty,)}
    )
    rapid = evidence.measurements[3]
    series = tuple(s.model_copy(update={"name": nasty}) for s in rapid.parts[0].charts[0].series)
    chart = (
        rapid.parts[0]
        .charts[0]
        .model_copy(
            update={"series": series, "x_label": nasty, "title": nasty, "marks": {nasty: 0.5}}
        )
    )
    part = rapid.parts[1].model_copy(update={"of": nasty, "charts": (chart,)})
    rapid = rapid.model_copy(update={"parts": (part, rapid.parts[0]), "notes": (nasty,)})
    found = (*evidence.measurements[:3], rapid, evidence.measurements[4])
    evidence, verdict = altered(sample, release=release, measurements=found)
    html = html_of(evidence, verdict)
    assert str(legible(nasty)) in "".join(parsed(html).texts)
    assert "script" not in parsed(html).tags
    assert "\u202e" not in html
    assert max(map(len, seen(html).split())) <= 80
    assert "49" not in seen(html).split()
    assert render_text(verdict, evidence).count("\n") < 30
    console = Console(width=100, file=None, record=True, quiet=False)
    with console.capture() as capture:
        console.print(verdict_table(verdict, evidence))
    assert "This release meets the policy" in capture.get()


def test_sixty_columns_empty_context_and_no_holdout(sample):
    evidence, _ = sample.sample("met")
    columns = tuple(
        ColumnFacts(name=f"column_{i}", type="numeric", role="other", treatment="scaled")
        for i in range(300)
    )
    tables = {k: v for k, v in evidence.release.tables.items() if k != "holdout"}
    release = evidence.release.model_copy(
        update={
            "columns": columns,
            "context": {},
            "generator": {},
            "tables": tables,
            "holdout_overlap": None,
        }
    )
    text = seen(html_of(*altered(sample, release=release)))
    assert "column_59" in text
    assert "column_250" not in text
    assert "200 of 300 rows shown" in text
    assert "No holdout table was given." in text


def test_a_run_without_screens_says_so(sample):
    evidence, verdict = sample.sample("met")
    evidence = evidence.model_copy(update={"measurements": evidence.measurements[3:]})
    verdict = sample.judge(evidence, Outcome.MET, verdict.rules[3:4])
    assert "No screen is part of this run." in seen(html_of(evidence, verdict))


def test_a_figure_that_is_missing_from_the_evidence_is_not_guessed(sample):
    evidence, verdict = sample.sample("not_assessed")
    crp = evidence.measurements[0].model_copy(update={"figures": {"gap": unknown("odd: ½ ≠ ?")}})
    evidence = evidence.model_copy(update={"measurements": (crp, *evidence.measurements[1:])})
    rule = verdict.rules[0].model_copy(
        update={
            **dict.fromkeys(("value", "low", "high", "judged", "level", "n")),
            "outcome": Outcome.NOT_ASSESSED,
            "reason": "odd: ½ ≠ ?",
        }
    )
    verdict = sample.judge(evidence, Outcome.NOT_ASSESSED, (rule, *verdict.rules[1:]))
    text = seen(html_of(evidence, verdict))
    assert "No answer: odd: ½ ≠ ?" in text
    assert "no figure" in text


def test_the_report_knows_no_metric(sample):
    evidence, verdict = sample.sample("met")
    fields = {**sample.CRP.model_dump(), "name": "acme.unheard_of", "family": Family.SCREEN}
    cards = {**evidence.cards, "acme.unheard_of": Card.model_validate(fields)}
    crp = evidence.measurements[0].model_copy(update={"metric": "acme.unheard_of"})
    rule = verdict.rules[0].model_copy(update={"metric": "acme.unheard_of"})
    changes = {"cards": cards, "measurements": (crp, *evidence.measurements[1:])}
    evidence = evidence.model_copy(update=changes)
    verdict = sample.judge(evidence, Outcome.MET, (rule, *verdict.rules[1:]))
    assert "acme.unheard_of" in html_of(evidence, verdict)


@pytest.mark.parametrize("kind", [Environment, ImmutableSandboxedEnvironment])
def test_templates_escape_what_they_are_given_and_refuse_what_they_are_not(kind):
    templates = DictLoader({"said": "{{ said }}", "forgotten": "{{ view.no_such_thing }}"})
    environment = html_module._environment(templates, kind)
    assert environment.get_template("said").render(said="<b>&'") == "&lt;b&gt;&amp;&#39;"
    with pytest.raises(UndefinedError, match="no_such_thing"):
        environment.get_template("forgotten").render(view=object())
    with pytest.raises(RenderError, match="'view' is undefined"):
        html_module.render_page("study.html.j2", words=load_wording("en"))


def test_a_verdict_on_other_evidence_is_refused(sample):
    evidence, _ = sample.sample("met")
    _, verdict = sample.sample("violated")
    with pytest.raises(IntegrityError, match="other evidence"):
        build_view(evidence, verdict, audience=Audience.SHAREABLE)


def test_an_unknown_language_or_text_is_an_error():
    with pytest.raises(RenderError, match="'xx'"):
        load_wording("xx")
    with pytest.raises(RenderError, match=r"no\.such\.text"):
        load_wording("en")("no.such.text")
    with pytest.raises(RenderError, match="cannot be filled in"):
        load_wording("en")("require.max")


def test_an_array_release_shows_its_dimensions_in_place_of_columns(sample):
    release = sample.sample("met")[0].release
    array = ArrayFacts(
        dimensions=65535,
        distance="cosine",
        stored={"train": "int8", "synthetic": "float32"},
        treatment="directions: the length of a row does not count",
    )
    changes = {"kind": "array", "columns": (), "array": array}
    release = release.model_copy(update=changes)
    text = seen(html_of(*altered(sample, release=release)))
    assert "6 Dimensions" in text
    assert "65,535" in text
    assert "one minus the cosine" in text
    assert "train: int8; synthetic: float32" in text
    assert "A position means the same in all arrays" in text
    assert "roles are declared" not in text
    tables = seen(html_of(*sample.sample("met")))
    assert "roles are declared" in tables
    assert "A position means the same" not in tables


def test_a_diagnostic_that_is_a_table_is_shown_as_one_and_only_internally(sample):
    rows = [
        {"holdout": 0.7349, "size rank": 1, "train": 0.75},
        {"holdout": 0.0, "size rank": 2, "train": None},
    ]
    given = with_diagnostics(
        sample, {"share at risk by class": rows, "mixed": [1, {"a": 2}], "loss": 1 / 3}
    )
    text = seen(html_of(*given, Audience.INTERNAL))
    assert "Diagnostics: share at risk by class size rank holdout train" in text
    assert "1 0.735 0.750" in text
    assert "2 0 –" in text
    assert "mixed 1, a: 2" in text
    assert "loss 0.333" in text
    assert "size rank" not in seen(html_of(*given))


def test_a_rank_heads_a_table_of_diagnostics_whatever_else_is_whole(sample):
    rows = [{"a distance": 0, "rank": 1, "score": -3.5}, {"a distance": 0, "rank": 2, "score": 0}]
    text = seen(html_of(*with_diagnostics(sample, {"lowest": rows}), Audience.INTERNAL))
    assert "rank a distance score 1 0 −3.50 2 0 0" in text


def test_the_worst_group_of_an_attack_is_shown(sample):
    assert "no measurement for outliers and small groups" in seen(html_of(*sample.sample("met")))
    evidence, _ = sample.sample("met")
    place = next(i for i, m in enumerate(evidence.measurements) if m.metric == "auth")
    before = evidence.measurements[place]
    gap = Estimate(value=0.21, low=0.12, high=0.34, level=0.975, method="Newcombe", n=900)
    figures = before.figures | {"worst_group_gap": gap}
    changed = before.model_copy(
        update={"params": before.params | {"groups": ["sex", "outliers"]}, "figures": figures}
    )
    others = [m for m in evidence.measurements if m.id != changed.id]
    text = seen(html_of(*altered(sample, measurements=(*others, changed))))
    assert "worst group gap sex, outliers 0.210" in text
    assert "no measurement for outliers and small groups" not in text


def test_the_power_of_each_criterion_is_told(sample, canary):
    evidence, verdict = sample.sample("met")

    def told(study=None):
        view = build_view(evidence, verdict, audience=Audience.SHAREABLE, power=study)
        (coverage,) = (
            block
            for block in view.sections[7].blocks
            if block.kind == "table" and "Planted copies caught" in [h.text for h in block.headings]
        )
        return {row[0].text: row[4].text for row in coverage.rows}

    assert told() == {
        "Singling out": "–",
        "Linkability": "–",
        "Inference": "not measured",
        "Membership": "not measured",
    }
    caught = {"attribute-inference": 20, "membership": 18}
    found = told(canary(evidence, verdict, caught=caught))
    assert found["Inference"] == "from 5% of the records on (50)"
    assert found["Membership"] == "not up to 5% of the records"
    always = told(canary(evidence, verdict, caught=caught, unplanted=1))
    assert always["Inference"] == always["Membership"] == "not measured"


def test_who_decided_on_columns_is_told(sample):
    columns = [
        ColumnFacts(name=f"c{i}", type="numeric", role="other", treatment="t", **more)
        for i, more in enumerate(({"decided_by": "A. Example, board"}, {}, {"guessed": True}))
    ]

    def told(columns, **context):
        evidence, _ = sample.sample("met")
        changes = {"columns": tuple(columns), "context": context}
        release = evidence.release.model_copy(update=changes)
        view = build_view(*altered(sample, release=release), audience=Audience.SHAREABLE)
        section = view.sections[4]
        return section.lead, [row[-1].text for row in section.blocks[-1].rows]

    guessed = "nobody: type guessed, role from the command line"
    lead, cells = told(columns)
    assert cells == ["A. Example, board", "not stated", guessed]
    assert "types were guessed" in lead
    lead, cells = told(columns[:2], columns_decided_by="Steward")
    assert cells == ["A. Example, board", "Steward"]
    assert "never guessed" in lead


def test_the_annex_says_that_no_run_time_was_recorded(sample):
    text = seen(html_of(*sample.sample("met")))
    assert "Run time not recorded: the same inputs give the same report" in text


def test_a_canary_test_is_shown_and_must_be_of_this_release_and_policy(sample, canary):
    evidence, verdict = sample.sample("met")
    study = canary(evidence, verdict, caught={"copies": 20})
    view = build_view(evidence, verdict, audience=Audience.SHAREABLE, power=study)
    html = render_html(view)
    assert "from 5% of the records on (50)" in seen(html)
    assert 'id="power-curve' in html
    other = study.model_copy(update={"policy_sha256": "f" * 64})
    with pytest.raises(IntegrityError, match="canary test"):
        build_view(evidence, verdict, audience=Audience.SHAREABLE, power=other)
