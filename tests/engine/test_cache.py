"""Finished measurements are taken up by the same run, by no other, and only as they were kept."""

import os
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from privgate.data import release_from_frames
from privgate.engine import Silent, assess, identity
from privgate.engine import run as running
from privgate.engine.cache import Cache
from privgate.engine.plan import plan
from privgate.engine.run import Conditions, measure
from privgate.engine.stored import StoredResult
from privgate.evidence import Measurement, PluginFacts, Status, canonical_bytes
from privgate.metrics import Records, all_metrics
from privgate.policy import open_document, policy_from_text
from privgate.record_scores import record_files
from privgate.resources import code_sha256
from privgate.testing.samples import SURVEY_COLUMNS, survey

CREATED = datetime(2026, 1, 1, tzinfo=UTC)
POLICY = """
privgate: policy/v1
id: test
version: 1.0.0
title: Test
confidence: {confidence}
rules:
  - {{id: copies, metric: crp, require: {{max: 0.05}}, source: {{kind: house, ref: t}}}}
  - {{id: near, metric: dcr, require: {{max: 0.65}}, source: {{kind: house, ref: t}}}}
  - id: named
    metric: privet
    params: {{permutations: {permutations}}}
    measure: npl_decimated
    require: {{equals: 0}}
    source: {{kind: house, ref: t}}
"""


def policy(permutations=19, confidence=0.95):
    text = POLICY.format(permutations=permutations, confidence=confidence)
    return open_document(policy_from_text(text).document, all_metrics())


def release(columns=SURVEY_COLUMNS, seed=3):
    tables = {"train": survey(150, 1), "holdout": survey(120, 2), "synthetic": survey(140, seed)}
    return release_from_frames(**tables, columns=columns)


class Told(list):
    """Remembers what it was told."""

    def __call__(self, text):
        self.append(text)


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def cache(tmp_path, told):
    return Cache(tmp_path / "kept", told)


@pytest.fixture
def measured(monkeypatch):
    """Return the list of metrics that were really measured."""
    names = []
    real = running._measured

    def counted(entry, inputs, conditions):
        names.append(entry.metric.name)
        return real(entry, inputs, conditions)

    monkeypatch.setattr(running, "_measured", counted)
    return names


def judged(cache, subject=None, bound=None, seed=7, **options):
    return assess(
        subject or release(), bound or policy(), seed=seed, created=CREATED, cache=cache, **options
    )


def files(cache):
    return sorted(cache.folder.glob("run-*/*.result"))


def everything(assessment):
    scores = record_files(assessment.records, assessment.measured)
    return canonical_bytes(assessment.evidence), canonical_bytes(assessment.verdict), scores


def test_what_was_measured_is_taken_up_with_the_same_bytes(cache, measured, told):
    plain = everything(judged(None))
    first = everything(judged(cache))
    assert measured == ["crp", "dcr", "privet"] * 2
    assert everything(judged(cache, jobs=2)) == first == plain
    assert len(measured) == 6
    assert told == [
        f"going on where a run was interrupted: 3 finished measurements in {files(cache)[0].parent}"
    ]


def test_only_what_is_missing_is_measured(cache, measured):
    whole = everything(judged(cache))
    files(cache)[1].unlink()
    measured.clear()
    assert everything(judged(cache)) == whole
    assert len(measured) == 1


def other_release(**changes):
    whole = release()
    return replace(whole, facts=whole.facts.model_copy(update=changes))


def turned():
    order = ["good", "fair", "poor"]
    return release({**SURVEY_COLUMNS, "health": {**SURVEY_COLUMNS["health"], "levels": order}})


def moved():
    whole = release()
    moved = replace(whole.train, positions=whole.train.positions[::-1].copy())
    return replace(whole, train=moved)


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 8},
        {"bound": policy(confidence=0.9)},
        {"subject": release(seed=4)},
        {"subject": turned()},
        {"subject": moved()},
        {"subject": other_release(correspondence="same_order")},
        {"sample": 100},
    ],
    ids=["seed", "confidence", "rows", "order of levels", "positions", "declaration", "sample"],
)
def test_another_run_takes_nothing_up(cache, measured, changed):
    judged(cache)
    measured.clear()
    judged(cache, **changed)
    assert measured == ["crp", "dcr", "privet"]


def test_other_parameters_are_measured_and_the_rest_is_taken_up(cache, measured):
    judged(cache)
    measured.clear()
    judged(cache, bound=policy(permutations=29))
    assert measured == ["privet"]


@pytest.mark.parametrize("what", ["code", "a package"])
def test_another_version_takes_nothing_up(cache, measured, monkeypatch, what):
    judged(cache)
    measured.clear()
    monkeypatch.setattr(identity, "_surroundings", lambda: (what,))
    judged(cache)
    assert len(measured) == 3


def test_the_code_of_privgate_is_part_of_what_a_run_is_known_by(tmp_path):
    assert code_sha256() in identity._surroundings()
    (tmp_path / "a.py").write_text("x = 1\n")
    first = code_sha256(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    assert code_sha256(tmp_path) != first


def damage(content):
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    "change",
    [damage, lambda content: content[: len(content) // 2], lambda _: b"", lambda c: c + b"x"],
    ids=["one bit", "cut short", "empty", "longer"],
)
def test_a_damaged_file_is_told_and_measured_again(cache, measured, told, change):
    whole = everything(judged(cache))
    broken = files(cache)[0]
    broken.write_bytes(change(broken.read_bytes()))
    measured.clear()
    told.clear()
    assert everything(judged(cache)) == whole
    assert len(measured) == 1
    assert f"{broken} is damaged or not from here" in told[-1]
    assert everything(judged(cache)) == whole
    assert len(measured) == 1  # the new one has taken its place


def test_a_result_in_the_place_of_another_is_not_taken(cache, measured):
    whole = everything(judged(cache))
    one, other, _ = files(cache)
    one.write_bytes(other.read_bytes())
    measured.clear()
    assert everything(judged(cache)) == whole
    assert len(measured) == 1


def test_a_forged_result_is_not_taken_by_who_does_not_know_the_records(cache, measured):
    """The file of a release that leaks, replaced by that of one that does not."""
    leaking = release_from_frames(
        train=survey(150, 1),
        holdout=survey(120, 2),
        synthetic=survey(150, 1),
        columns=SURVEY_COLUMNS,
    )
    judged(cache, leaking)
    wanted = files(cache)
    judged(cache)
    honest = [file for file in files(cache) if file not in wanted]
    for target, source in zip(wanted, honest, strict=True):
        target.write_bytes(source.read_bytes())
    measured.clear()
    assert judged(cache, leaking).verdict.outcome == "violated"
    assert len(measured) == 3


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX systems")
def test_only_the_user_may_read(cache):
    judged(cache)
    (folder,) = cache.folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX systems")
def test_a_folder_open_to_others_is_not_used(cache, measured, told):
    judged(cache)
    (folder,) = cache.folder.iterdir()
    folder.chmod(0o755)
    measured.clear()
    judged(cache)
    assert len(measured) == 3
    assert "open to other users" in told[-1]


def test_a_place_that_cannot_be_written_is_told_and_stops_nothing(tmp_path, told):
    (tmp_path / "file").write_text("")
    found = judged(Cache(tmp_path / "file", told))
    assert found.evidence.measurements
    assert "cannot be kept" in told[0]


def test_it_is_gone_once_the_run_is_done(cache):
    judged(cache)
    assert cache.kept == 3
    cache.forget()
    assert files(cache) == []
    assert list(cache.folder.iterdir()) == []


def test_leftovers_are_shown_cleared_and_after_a_month_removed(cache):
    judged(cache)
    count, size = cache.size
    assert count == 3
    assert size == sum(file.stat().st_size for file in files(cache))
    (folder,) = cache.folder.iterdir()
    os.utime(folder, (0, 0))
    (cache.folder / "not ours").mkdir()
    judged(cache, seed=9)
    assert not folder.exists()
    assert cache.clear() == 1
    assert [path.name for path in cache.folder.iterdir()] == ["not ours"]


def test_a_measurement_that_failed_is_made_again(cache):
    def broken(*_):
        raise MemoryError

    entry = plan(policy())[0]
    failing = replace(entry, metric=replace(entry.metric, measure=broken))
    conditions = Conditions(seed=1, seed_source="given", confidence=0.95, created=CREATED)
    found = measure(release(), [failing], conditions, Silent(), cache=cache)
    assert found.evidence.measurements[0].status is Status.FAILED
    assert files(cache) == []
    again = measure(release(), [entry], conditions, Silent(), cache=cache)
    assert again.evidence.measurements[0].status is Status.MEASURED


def test_every_kind_of_score_comes_back_as_it_was():
    measurement = Measurement(
        id="m",
        metric="m",
        version=1,
        params={"a": 1.0},
        status=Status.MEASURED,
        raw=0.1 + 0.2,
        diagnostics={"whole": 2.0, "none": None, "list": [1, 1.5, "é\n"]},
    )
    scores = {
        "float": np.array([np.nan, -0.0, np.inf, 1e-310]),
        "int": np.array([-(2**62), 5]),
        "bool": np.array([True, False]),
        "small": np.array([1, 2], np.int32),
        "none": np.empty(0),
    }
    records = (
        Records(table="train", scores=scores),
        Records(table="synthetic", scores={}, named=np.array([True])),
    )
    stored = StoredResult(measurement, records).to_bytes()
    again = StoredResult.from_bytes(stored)
    assert again.measurement == measurement
    assert [entry.table for entry in again.records] == ["train", "synthetic"]
    for name, array in scores.items():
        back = again.records[0].scores[name]
        assert back.dtype == array.dtype
        assert back.tobytes() == array.tobytes()
    assert again.records[1].named.tolist() == [True]
    assert again.records[0].named is None


def test_what_would_need_pickle_is_not_kept():
    measurement = Measurement(id="m", metric="m", version=1, params={}, status=Status.MEASURED)
    objects = Records(table="train", scores={"o": np.array([None, {}], object)})
    assert StoredResult(measurement, (objects,)).to_bytes() is None


@pytest.mark.parametrize(
    ("origin", "times"), [(None, 1), (PluginFacts(distribution="a", version="1"), 2)]
)
def test_a_metric_of_a_plug_in_is_measured_anew(tmp_path, told, origin, times):
    """Its code is not part of what a run is known by, and may change under one version."""
    (entry, *_) = plan(policy())
    calls = []

    def counted(*arguments):
        calls.append(1)
        return entry.metric.measure(*arguments)

    card = entry.metric.card.model_copy(update={"plugin": origin})
    own = replace(entry, metric=replace(entry.metric, card=card, measure=counted))
    conditions = Conditions(seed=7, seed_source="given", confidence=0.95, created=CREATED)
    cache = Cache(tmp_path / "kept", told)
    for _ in range(2):
        made = measure(release(), [own], conditions, Silent(), cache=cache)
        assert made.evidence.measurements[0].status is Status.MEASURED
    assert len(calls) == times
