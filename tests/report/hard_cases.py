"""Cases that a report must stand: as large as can be, and with names made to break it."""

from __future__ import annotations

from privgate.policy.verdict import Outcome

HOSTILE = (
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "\"'><svg onload=x>",
    "=cmd|' /C calc'!A0",
    "\u202eabc",
    "\u05d0\u05d1\u05d2",
    "two\nlines\tand a tab",
    "a" * 10_000,
    "[bold]x[/nope]",
    "{0} {name}",
)
EVERY_CASE = ("met", "violated", "not_assessed", "waived", "huge", "nasty")


def case(sample, name):
    """Return evidence and verdict of one of the cases whose reports are kept for review."""
    if name == "huge":
        return huge(sample, columns=2000, rules=60, parts=40)
    if name == "nasty":
        return nasty(sample)
    return sample.sample_waived() if name == "waived" else sample.sample(name)


def huge(sample, *, columns=1, rules=8, parts=1, name="violated"):
    """Return evidence and verdict of a release with so many columns, rules and parts."""
    evidence, verdict = sample.sample(name)
    column = evidence.release.columns[0]
    names = [f"column_{i:04}_with_a_rather_long_name" for i in range(columns)]
    release = evidence.release.model_copy(
        update={
            "columns": tuple(column.model_copy(update={"name": it}) for it in names),
            "notes": tuple(f"Remark {i} on the data." for i in range(columns)),
            "context": {"purpose": "x" * 100_000, **{f"key{i}": "said" for i in range(columns)}},
        }
    )
    measurements = []
    for place in range(max(1, rules // len(evidence.measurements))):
        for one in evidence.measurements:
            changes = {"id": f"{one.id}-{place}"} if place else {}
            if one.parts:
                part = one.parts[0]
                many = (part.model_copy(update={"of": f"column_{i:04}"}) for i in range(parts))
                changes["parts"] = tuple(many)
            measurements.append(one.model_copy(update=changes))
    judged = []
    for place in range(rules):
        rule = verdict.rules[place % len(verdict.rules)]
        judged.append(rule.model_copy(update={"id": f"{rule.id}-{place}"}))
    evidence = evidence.model_copy(update={"release": release, "measurements": tuple(measurements)})
    judgement = sample.judge(evidence, verdict.outcome, tuple(judged))
    text = "\n".join(f"- id: rule-{i}" for i in range(rules * 8))
    policy = judgement.policy.model_copy(update={"text": text})
    return evidence, judgement.model_copy(update={"policy": policy})


def nasty(sample):
    """Return evidence and verdict in which whatever people can name is named to do harm."""
    evidence, verdict = sample.sample("violated")
    release = _hostile_release(evidence.release)
    copies = _few_in_holdout(sample, evidence.measurements[0])
    found = tuple(_hostile_measurement(one) for one in (copies, *evidence.measurements[1:]))
    evidence = evidence.model_copy(update={"release": release, "measurements": found})
    sources = (*HOSTILE, *HOSTILE)
    rules = tuple(
        rule.model_copy(
            update={
                "source": {"kind": "house", "ref": sources[place]},
                "rationale": sources[place + 3],
                "part": HOSTILE[0] if rule.part else rule.part,
            }
        )
        for place, rule in enumerate(verdict.rules)
    )
    judged = sample.waived(evidence, rules, (), policy=_hostile_policy(verdict.policy))
    return evidence, judged.model_copy(update={"outcome": Outcome.VIOLATED, "exit_code": 1})


def _few_in_holdout(sample, copies):
    """Return the measurement of copies with the same gap between a large and a small share."""
    shares = {
        "share": sample.estimate(158 / sample.N, 0.0292, 0.0397),
        "holdout_share": sample.estimate(3 / sample.N, 0.0002, 0.0019),
    }
    return copies.model_copy(update={"figures": copies.figures | shares})


def _hostile_release(release):
    column = release.columns[0]
    columns = tuple(
        column.model_copy(update={"name": name, "treatment": name, "decided_by": name})
        for name in HOSTILE
    )
    tables = {
        table: facts.model_copy(update={"file": HOSTILE[place]})
        for place, (table, facts) in enumerate(release.tables.items())
    }
    return release.model_copy(
        update={
            "name": "<h1>{{x}}</h1>\u202e=cmd\n" + "n" * 10_000,
            "unit": HOSTILE[2],
            "tables": tables,
            "columns": columns,
            "context": {name: name for name in HOSTILE} | {"purpose": HOSTILE[0]},
            "generator": {name: name for name in HOSTILE},
            "notes": HOSTILE,
        }
    )


def _hostile_measurement(one):
    parts = tuple(
        part.model_copy(
            update={
                "of": HOSTILE[place],
                "charts": tuple(_hostile_chart(chart) for chart in part.charts),
            }
        )
        for place, part in enumerate(one.parts)
    )
    return one.model_copy(
        update={"parts": parts, "notes": HOSTILE, "params": {"groups": list(HOSTILE)}}
    )


def _hostile_chart(chart):
    series = tuple(
        line.model_copy(update={"name": HOSTILE[place]}) for place, line in enumerate(chart.series)
    )
    texts = dict.fromkeys(("title", "x_label", "y_label", "caption"), HOSTILE[1])
    return chart.model_copy(update={**texts, "series": series, "marks": {HOSTILE[2]: 0.5}})


def _hostile_policy(policy):
    text = "\n".join(f"# {name}" for name in HOSTILE)
    return policy.model_copy(update={"title": HOSTILE[0], "owner": HOSTILE[3], "text": text})
