"""Evidence and verdicts of made-up runs with all five metrics, for the tests of the report."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from functools import cache

from privgate.evidence import (
    Card,
    Chart,
    ColumnFacts,
    Criterion,
    Estimate,
    Family,
    FigureKind,
    FigureSpec,
    Measurement,
    Need,
    OverlapFacts,
    Part,
    ReleaseFacts,
    RunEvidence,
    RunFacts,
    SafeSide,
    Series,
    Status,
    TableFacts,
    ThreatModel,
    digest,
    unknown,
)
from privgate.policy.verdict import (
    CoverageVerdict,
    Outcome,
    PolicyFacts,
    RequirementVerdict,
    RuleVerdict,
    Verdict,
    WaiversFacts,
    WaiverVerdict,
)

N = 4637
LOW, HIGH = SafeSide.LOW, SafeSide.HIGH


def spec(title, meaning, kind, *, side=LOW, interval=False, satisfies=()):
    return FigureSpec(
        title=title,
        meaning=meaning,
        safe_side=side,
        kind=kind,
        has_interval=interval,
        satisfies=satisfies,
    )


CRP = Card(
    name="crp",
    version=1,
    title="Common rows",
    question="Does the release repeat records of real people word for word?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who holds the published table",
        knows="the full record of a person, for example an employer or an insurer",
        wants="to see whether that record was republished",
    ),
    criteria=(),
    formula="CRP = |{i : y_i occurs in Z}| / n",
    headline="share",
    figures={
        "share": spec(
            "Training records that reappear",
            "The share of people in the training data whose whole record stands in the release.",
            FigureKind.SHARE,
            interval=True,
        ),
        "holdout_share": spec(
            "Holdout records that reappear",
            "The same share among people the generator never saw.",
            FigureKind.SHARE,
            interval=True,
        ),
        "gap": spec(
            "Excess of copied records over the holdout",
            "How many more people of the training data than of the holdout are found "
            "word for word.",
            FigureKind.DIFFERENCE,
            interval=True,
        ),
    },
    needs=(),
    references=("Trudslev et al. 2025, arXiv 2507.11324",),
    limits=(
        "Sees exact copies only; a copy with one digit changed is not counted.",
        "In tables of few coarse columns, records agree by chance.",
    ),
)

DCR = Card(
    name="dcr",
    version=1,
    title="Distance to the closest record",
    question="Do synthetic records lie closer to the people the generator saw than to others?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who holds the published table",
        knows="approximate features of a person",
        wants="to find a record that is nearly theirs",
    ),
    criteria=(),
    formula="share = |{j : d(z_j, Y) < d(z_j, H)}| / m, with |Y| = |H|",
    headline="share_nearer_train",
    figures={
        "share_nearer_train": spec(
            "Synthetic records nearer to train than to holdout",
            "About half is what chance gives; clearly more means that the release leans on the "
            "people it was trained on.",
            FigureKind.SHARE,
            interval=True,
        ),
        "median": spec("Median distance", "The middle distance.", FigureKind.DISTANCE, side=HIGH),
    },
    needs=(Need.HOLDOUT,),
    references=("Platzer and Reutterer 2021, doi 10.3389/fdata.2021.679939",),
    limits=("An average over records: a few near copies do not move it.",),
)

AUTH = Card(
    name="auth",
    version=1,
    title="Authenticity",
    question="How often is a synthetic record closer to a person than their real neighbour?",
    family=Family.SCREEN,
    threat_model=ThreatModel(
        attacker="anyone who holds the published table",
        knows="features of a person",
        wants="to recognise a synthetic record as that person's",
    ),
    criteria=(),
    formula="risk = |{i : dYZ(i) ≤ dYY(i)}| / n",
    headline="excess",
    figures={
        "risk": spec("Risk", "Share of people.", FigureKind.SHARE, interval=True),
        "excess": spec(
            "Excess over the holdout",
            "How much more often this holds for people the generator saw than for others.",
            FigureKind.DIFFERENCE,
            interval=True,
        ),
    },
    needs=(Need.HOLDOUT,),
    references=("Alaa et al. 2022, arXiv 2102.08921",),
    limits=("Has a chance level that depends on the number of records.",),
)

RAPID = Card(
    name="rapid",
    version=1,
    title="Attribute prediction",
    question="Can private details of the people in the data be worked out from the release?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="an outsider who trains a model on the release",
        knows="the columns marked as knowable of one person",
        wants="that person's private details",
    ),
    criteria=(Criterion.INFERENCE,),
    formula="r_i = (p_i − b) / (1 − b); flagged if r_i > τ; gap = p̂(train) − p̂(holdout)",
    headline="gap",
    figures={
        "fraction": spec(
            "People whose detail is predicted with confidence",
            "The share of people in the training data whose private detail a model trained on the "
            "release predicts with confidence.",
            FigureKind.SHARE,
            interval=True,
        ),
        "holdout_fraction": spec(
            "The same among people the generator never saw",
            "What can be predicted about anybody.",
            FigureKind.SHARE,
            interval=True,
        ),
        "gap": spec(
            "Excess of predicted details over the holdout",
            "How much better the details of people in the training data are predicted than those "
            "of others.",
            FigureKind.DIFFERENCE,
            interval=True,
            satisfies=(Criterion.INFERENCE,),
        ),
        "n_at_risk": spec("People at risk", "Number of people.", FigureKind.COUNT),
    },
    needs=(Need.SENSITIVE, Need.QUASI_IDENTIFIERS),
    references=("RAPID: risk of attribute prediction-induced disclosure, 2026",),
    limits=(
        "Depends on the attacker's model; a stronger one may succeed more often.",
        "Measures inference, not memorisation.",
    ),
)

PRIVET = Card(
    name="privet",
    version=1,
    title="Extreme nearness",
    question="Does any synthetic record lie suspiciously close to a real person?",
    family=Family.ATTACK,
    threat_model=ThreatModel(
        attacker="someone who holds the release and a candidate's full record",
        knows="the candidate's record",
        wants="to learn whether the candidate was in the training data",
    ),
    criteria=(Criterion.SINGLING_OUT, Criterion.MEMBERSHIP),
    formula="π_i = ln S(d_i) under a Weibull tail fitted to d(train, train); NPL = |{i : π_i < τ}|",
    headline="npl_decimated",
    figures={
        "npl_decimated": spec(
            "Records with a suspiciously close copy",
            "The number of people to whom a synthetic record lies closer than chance explains.",
            FigureKind.COUNT,
        ),
        "p_pl": spec(
            "Chance of such nearness without a leak",
            "How often nearness like this would arise if the generator had never seen the people.",
            FigureKind.P_VALUE,
            side=HIGH,
            satisfies=(Criterion.MEMBERSHIP,),
        ),
    },
    needs=(Need.HOLDOUT,),
    references=("PRIVET, arXiv 2510.24233",),
    limits=("Finds verbatim copies exactly and is blind to copies with a little noise.",),
)

CARDS = {card.name: card for card in (CRP, DCR, AUTH, RAPID, PRIVET)}


def estimate(value, low, high, *, n=N, method="Wilson"):
    return Estimate(value=value, low=low, high=high, level=0.95, method=method, n=n)


def exact(value, *, n=N):
    return Estimate(value=value, n=n)


def bell(x, middle, width, n):
    return round(n * math.exp(-(((x - middle) / width) ** 2) / 2) * 0.25 / width / 2.5066)


def distances(middle):
    edges = tuple(round(0.25 * step, 2) for step in range(17))
    return Chart(
        kind="histogram",
        title="Distance from each synthetic record to the closest real one",
        x_label="distance",
        y_label="records",
        x=edges,
        series=(
            Series(
                name="to train",
                y=tuple(bell(x + 0.125, middle, 0.55, N) for x in edges[:-1]),
                n=N,
            ),
            Series(
                name="to holdout", y=tuple(bell(x + 0.125, 1.7, 0.55, N) for x in edges[:-1]), n=N
            ),
        ),
        marks={"median to train": middle},
        caption="Curves that lie on each other show no lean towards the training records.",
    )


def curve(shift):
    taus = tuple(round(0.05 * step, 2) for step in range(21))
    return Chart(
        kind="curve",
        title="Share of people whose detail is predicted, by required confidence",
        x_label="required confidence τ",
        y_label="share of people",
        x=taus,
        series=(
            Series(name="train", y=tuple(min(1.0, (1 - t) ** 2 + shift * t) for t in taus), n=N),
            Series(name="holdout", y=tuple((1 - t) ** 2 * 0.97 for t in taus), n=N),
        ),
        marks={"τ = 0.3": 0.3},
        caption="The further the lines lie apart, the more the release tells about its own people.",
    )


def table(seed, *, rows=N):
    return TableFacts(
        file=f"{seed}.csv",
        format="csv",
        sha256=digest([seed, "bytes"]),
        content_sha256=digest([seed, "content"]),
        rows=rows,
        columns=9,
        distinct_rows=rows - 4,
        salt=digest([seed, "salt"]),
    )


COLUMNS = (
    ColumnFacts(
        name="age",
        type="numeric",
        role="quasi_identifier",
        missing={"train": 0.0, "holdout": 0.0, "synthetic": 0.0},
        treatment="scaled to unit spread of the training data",
    ),
    ColumnFacts(
        name="marital_status",
        type="categorical",
        role="quasi_identifier",
        levels=4,
        missing={"train": 0.0123, "holdout": 3 / N, "synthetic": 0.0},
        treatment="one indicator for each level",
    ),
    ColumnFacts(
        name="net_assets",
        type="numeric",
        role="sensitive",
        missing={"train": 0.0, "holdout": 0.0, "synthetic": 0.0},
        treatment="scaled to unit spread of the training data",
    ),
    ColumnFacts(
        name="pension",
        type="boolean",
        role="sensitive",
        levels=2,
        missing={"train": 0.0},
        treatment="0 or 1",
    ),
    ColumnFacts(
        name="account",
        type="boolean",
        role="sensitive",
        levels=2,
        missing={"train": 0.0},
        treatment="0 or 1",
    ),
    ColumnFacts(name="pid", type="categorical", role="identifier", treatment="not measured"),
)

POLICY_TEXT = """privgate: policy/v1
id: demo
version: 1.0.0
title: Publication of survey microdata
owner: Data protection office
review_by: 2027-06-30
requires: {holdout: true, min_rows: {train: 1000, holdout: 500}, coverage: [inference, membership]}
confidence: 0.95
rules:
  - id: copied-records
    metric: crp
    measure: gap
    require: {max: 0.005}
    severity: blocking
    source: {kind: house, ref: "calibration table, 2026"}
    rationale: A copied record discloses everything about a person at once.
  # … five more rules
"""


def run_facts():
    return RunFacts(
        seed=4113920341,
        seed_source="derived",
        confidence=0.95,
        created=datetime(2026, 11, 3, 9, 30, tzinfo=UTC),
        tool="privgate 0.1.0",
        python="3.11.9",
        packages={"numpy": "2.4.0", "pandas": "3.1.0", "scikit-learn": "1.9.0"},
    )


def release_facts(**changes):
    facts = {
        "name": "pension-survey-2026-11",
        "unit": "person",
        "tables": {name: table(name) for name in ("train", "holdout", "synthetic")},
        "columns": COLUMNS,
        "holdout_overlap": OverlapFacts(rows=3, share=3 / N),
        "generator": {"name": "sequential trees", "version": "1.0", "dp": None},
        "context": {
            "purpose": "Teaching and methods research",
            "recipients": "Anyone",
            "release_model": "public",
            "controller": "Statistics office, department 4",
            "dpo": "dpo@example.org",
            "sampling_fraction": 0.02,
        },
        "notes": ("Rows of train and holdout were read in canonical order.",),
    }
    return ReleaseFacts(**{**facts, **changes})


def rapid_parts(gaps):
    parts = []
    for column, gap in gaps.items():
        figures = {
            "fraction": estimate(0.244 + gap, 0.232 + gap, 0.257 + gap, method="Clopper-Pearson"),
            "holdout_fraction": estimate(0.239, 0.227, 0.252, method="Clopper-Pearson"),
            "gap": estimate(0.005 + gap, gap - 0.012, gap + 0.022, method="Newcombe"),
            "n_at_risk": exact(round((0.244 + gap) * N)),
        }
        parts.append(Part(of=column, status=Status.MEASURED, figures=figures, charts=(curve(gap),)))
    return tuple(parts)


def measurement(metric, *, figures, **more):
    card = CARDS[metric]
    fields = {"params": {}, "status": Status.MEASURED, "version": card.version, **more}
    return Measurement(
        id=f"{metric}-{digest(metric)[:8]}", metric=metric, figures=figures, **fields
    )


def measurements(outcome):
    leaky = outcome is Outcome.VIOLATED
    parts = rapid_parts({"account": 0.001, "net_assets": 0.06 if leaky else 0.002, "pension": 0.0})
    worst = parts[1].figures
    copies = (
        {
            "share": estimate(155 / N, 0.0286, 0.039),
            "holdout_share": estimate(0.0, 0.0, 0.0008),
            "gap": estimate(155 / N, 0.0282, 0.0391, method="Newcombe"),
        }
        if leaky
        else {
            "share": estimate(0.0, 0.0, 0.0008),
            "holdout_share": estimate(0.0, 0.0, 0.0008),
            "gap": estimate(0.0, -0.0008, 0.0008, method="Newcombe"),
        }
    )
    small = outcome is Outcome.NOT_ASSESSED
    wide = 0.06 if small else 0.0
    share = 0.705 if leaky else 0.508
    nearer = estimate(share, share - 0.014 - wide, share + 0.014 + wide)
    return (
        measurement("crp", figures=copies, raw=copies["share"].value, risk=copies["share"].value),
        measurement(
            "dcr",
            figures={"share_nearer_train": nearer, "median": exact(1.2345)},
            charts=(distances(1.1 if leaky else 1.68),),
            diagnostics={"n_ties": 3},
        ),
        measurement(
            "auth",
            figures={
                "risk": estimate(0.51, 0.49, 0.53),
                "excess": estimate(0.012, -0.008, 0.032, method="Newcombe"),
            },
        ),
        measurement(
            "rapid",
            figures=worst,
            parts=parts,
            params={"tau": 0.3, "attackers": ["lightgbm"]},
            notes=("One model was trained for each sensitive column.",),
        ),
        measurement(
            "privet",
            status=Status.NOT_ASSESSED if small else Status.MEASURED,
            reason="the tail of the distances could not be fitted: too few records"
            if small
            else None,
            params={"tau": -3, "permutations": 59},
            figures={"npl_decimated": unknown("not fitted"), "p_pl": unknown("not fitted")}
            if small
            else {
                "npl_decimated": exact(7 if leaky else 0),
                "p_pl": exact(0.0167 if leaky else 0.7),
            },
        ),
    )


def rule(identity, metric, measure, outcome, require, *, found, figure, **more):
    judged = figure.value
    if figure.high is not None:
        judged = figure.high if {"max", "below", "equals"} & set(require) else figure.low
    fields = {
        "severity": "blocking",
        "judge": "bound",
        "source": {"kind": "house", "ref": "calibration table, 2026"},
        "reason": f"The judged value decides: {outcome.value}",
        "rationale": "Chosen so that clean releases of this size pass.",
        **more,
    }
    return RuleVerdict(
        id=identity,
        metric=metric,
        measure=measure,
        measurement=found.id,
        outcome=outcome,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        level=figure.level,
        n=figure.n,
        judged=judged,
        require=require,
        **fields,
    )


def rules(outcome, found):
    crp, dcr, auth, rapid, privet = found
    leaky, small = outcome is Outcome.VIOLATED, outcome is Outcome.NOT_ASSESSED
    bad = Outcome.VIOLATED if leaky else Outcome.MET
    open_ = Outcome.NOT_ASSESSED if small else bad
    seven = "7 records lie closer than chance explains; none may" if leaky else "none was found"
    return (
        rule("copied-records", "crp", "gap", bad, {"max": 0.005}, found=crp,
             figure=crp.figures["gap"]),
        rule("nearness", "dcr", "share_nearer_train", open_, {"max": 0.55}, found=dcr,
             figure=dcr.figures["share_nearer_train"], needed_n=21000 if small else None,
             reason="inconclusive: the interval straddles the limit" if small else "The upper end "
             "of the interval decides."),
        rule("authenticity", "auth", "excess", Outcome.MET, {"max": 0.1}, found=auth,
             figure=auth.figures["excess"], severity="advisory"),
        rule("attribute-inference", "rapid", "gap", bad, {"max": 0.05}, found=rapid,
             figure=rapid.figures["gap"], part="net_assets"),
        rule("no-leaks", "privet", "npl_decimated", open_, {"equals": 0}, found=privet,
             figure=privet.figures["npl_decimated"],
             source={"kind": "paper", "ref": "arXiv 2510.24233"},
             reason="the measurement was not made: too few records" if small else seven),
        rule("membership", "privet", "p_pl", open_, {"above": 0.05}, found=privet,
             figure=privet.figures["p_pl"],
             reason="the measurement was not made: too few records" if small else "as judged"),
    )  # fmt: skip


@cache
def sample(name):
    """Return evidence and verdict of the outcome called ``met``, ``violated``, ``not_assessed``."""
    outcome = Outcome(name)
    found = measurements(outcome)
    evidence = RunEvidence(
        release=release_facts(), run=run_facts(), cards=CARDS, measurements=found
    )
    return evidence, judge(evidence, outcome, rules(outcome, found))


def judge(evidence, outcome, judged, **changes):
    met = outcome is Outcome.MET
    sentence = {
        Outcome.MET: "Every blocking rule is met.",
        Outcome.VIOLATED: "Rule no-leaks is violated: 7 records lie closer than chance explains",
        Outcome.NOT_ASSESSED: "Rule nearness is not assessed: the interval straddles the limit",
    }
    fields = {
        "outcome": outcome,
        "exit_code": int(outcome.exit_code),
        "reasons": (sentence[outcome],),
        "policy": PolicyFacts(
            id="demo",
            version="1.0.0",
            title="Publication of survey microdata",
            owner="Data protection office",
            review_by="2027-06-30",
            sha256=digest({"id": "demo"}),
            text=POLICY_TEXT,
            document={"id": "demo"},
        ),
        "evidence_sha256": digest(evidence),
        "salt": digest("salt"),
        "rules": judged,
        "requirements": (
            RequirementVerdict(name="holdout", required=True, seen=True, satisfied=True,
                               reason="a holdout table is there"),
            RequirementVerdict(name="min_rows.train", required=1000, seen=N, satisfied=True,
                               reason="the train table has enough rows"),
        ),
        "coverage": {
            "singling_out": CoverageVerdict(required=False, rules=(), satisfied=False,
                                            reason="not required"),
            "linkability": CoverageVerdict(required=False, rules=(), satisfied=False,
                                           reason="not required"),
            "inference": CoverageVerdict(required=True, rules=("attribute-inference",),
                                         satisfied=outcome is not Outcome.VIOLATED,
                                         reason="a blocking rule on an attack decides"),
            "membership": CoverageVerdict(required=True, rules=("membership",), satisfied=met,
                                          reason="a blocking rule on an attack decides"),
        },
    }  # fmt: skip
    return Verdict(**{**fields, **changes})


WAIVER = {
    "reason": "The copied records are fictitious test persons that the register itself publishes; "
    "minute 14 of the data board, 3 November 2026.",
    "approved_by": "A. Example, data protection officer",
    "granted": "2026-11-01",
    "expires": "2027-03-31",
    "compensating_measure": "The file goes to named recipients only.",
}
IGNORED = (
    ("membership", {"expires": "2026-11-29", "compensating_measure": None},
     "it expired on 2026-11-29, and the day is 2026-11-30"),
    ("no-leak", {"reason": "<b>Trust us</b> & {let} it {{ through }}"},
     "the policy has no rule 'no-leak'; did you mean 'no-leaks'?"),
    ("attribute-inference", {"approved_by": None, "granted": "soon"},
     "approved_by: 'approved_by' is missing; add it; granted: 'soon' is no day"),
    (None, dict.fromkeys(WAIVER), "the value should be an object, not 'all'"),
)  # fmt: skip


def waived(evidence, judged, names, **changes):
    """Return a verdict in which waivers cover the named rules and four others do not count."""
    entries = [(name, {}, "it covers the finding of its rule, which stands") for name in names]
    told = tuple(
        WaiverVerdict(position=i, line=3 + i, rule=name, release_sha256="5" * 64, why=why,
                      counted=i < len(names), **(WAIVER | given))
        for i, (name, given, why) in enumerate([*entries, *IGNORED])
    )  # fmt: skip
    after = tuple(
        RuleVerdict.model_validate(
            rule.model_dump()
            | {"outcome": "waived", "waiver": WAIVER | {"finding": rule.outcome.value}}
        )
        if rule.id in names
        else rule
        for rule in judged
    )
    file = WaiversFacts(day="2026-11-30", sha256="9" * 64, text="privgate: waivers/v1\n")
    given = {"waivers": told, "waivers_file": file, "coverage": {}}
    return judge(evidence, Outcome.MET, after, **given, **changes)


@cache
def sample_waived():
    """Return evidence of a leaky run, met with waivers: two of its broken rules are advisory."""
    evidence, verdict = sample("violated")
    advisory = {"attribute-inference", "membership"}
    judged = tuple(
        rule.model_copy(update={"severity": "advisory"}) if rule.id in advisory else rule
        for rule in verdict.rules
    )
    return evidence, waived(evidence, judged, ("copied-records", "nearness", "no-leaks"))
