"""Parquet tables read by worker processes: never by the client, unless a worker cannot."""

import warnings
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import privgate
from privgate.cli.flags import release_from_flags
from privgate.data import load_release, release_from_tables
from privgate.data.arrow_files import ParquetColumns
from privgate.errors import InputError, PrivgateWarning
from privgate.evidence import canonical_bytes
from privgate.executors import SERIAL, Threads
from privgate.policy import policy_from_text
from privgate.testing.samples import SURVEY_COLUMNS, survey

pytest.importorskip("distributed")

from privgate.executors.dask import on_cluster

pytestmark = pytest.mark.slow

TABLES = ("train", "holdout", "synthetic")
POLICY = """\
privgate: policy/v1
id: mine
version: 1.0.0
title: Mine
rules:
  - id: linkability
    metric: linkability
    measure: gap
    require: {max: 0.5}
    judge: point
    severity: blocking
    source: {kind: house, ref: here}
    rationale: an example
"""


@pytest.fixture(scope="module")
def workers():
    with on_cluster("local", jobs=2) as executor:
        executor._client.wait_for_workers(2)
        yield executor


@pytest.fixture
def here(parquet_reads, monkeypatch):
    """Return the list of what this process reads of Parquet files, which grows."""
    digest = ParquetColumns.sha256

    def noted(self):
        parquet_reads.append("digest")
        return digest(self)

    monkeypatch.setattr(ParquetColumns, "sha256", noted)
    return parquet_reads


def judged(parquet_release, executor):
    policy = privgate.bind(policy_from_text(POLICY), privgate.all_metrics())
    found = privgate.assess(
        load_release(parquet_release, executor=executor),
        policy,
        executor=executor,
        seed=1,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        debug=True,
    )
    return canonical_bytes(found.evidence)


def test_evidence_is_that_of_one_thread_and_the_client_reads_nothing(
    workers, parquet_release, here
):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivgateWarning)
        there = judged(parquet_release, workers)
        assert here == []
        assert there == judged(parquet_release, Threads(3)) == judged(parquet_release, SERIAL)
    assert len(here) == 2 * (3 * len(SURVEY_COLUMNS) + 3)


def test_relative_paths_are_those_of_the_client(workers, parquet_release, here, monkeypatch):
    monkeypatch.chdir(parquet_release.parent)
    there = load_release(Path("release.yaml"), executor=workers)
    assert here == []
    assert there.facts == load_release(parquet_release).facts


def blind():
    """Let a worker find none of the tables, as on a machine without their folder."""
    from pathlib import Path

    from privgate.data import arrow_files, opening

    def unseen(path, *, place):
        return opening.opened(path, place=Path("/nowhere") / place.name)

    arrow_files.opened = unseen


def seeing():
    from privgate.data import arrow_files, opening

    arrow_files.opened = opening.opened


@pytest.fixture
def client(workers):
    """Return the client of the workers, which see again afterwards."""
    yield workers._client
    workers._client.wait_for_workers(2)
    workers._client.run(seeing)


def test_what_no_worker_sees_the_client_reads(workers, client, parquet_release, here):
    client.run(blind)
    with pytest.warns(PrivgateWarning, match="not every worker sees the tables"):
        there = judged(parquet_release, workers)
    assert len(here) == 3 * len(SURVEY_COLUMNS) + 3
    assert there == judged(parquet_release, SERIAL)


def test_what_one_worker_does_not_see_the_client_reads(workers, client, parquet_release, here):
    client.run(blind, workers=[min(client.nthreads())])
    with pytest.warns(PrivgateWarning, match="not every worker sees the tables"):
        there = judged(parquet_release, workers)
    assert 0 < len(here) < 3 * len(SURVEY_COLUMNS) + 3
    assert there == judged(parquet_release, SERIAL)


def test_damage_is_told_as_without_a_cluster(workers, parquet_release):
    path = parquet_release.with_name("train.parquet")
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    raw = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    raw[start : start + 8] = b"\xff" * 8
    path.write_bytes(raw)
    told = []
    for executor in (workers, SERIAL):
        with pytest.raises(InputError) as caught:
            load_release(parquet_release, executor=executor)
        told.append(caught.value.problems)
    assert told[0] == told[1]
    assert [str(problem) for problem in told[0]] == [
        f"{path}: the file is not a readable .parquet file; write it again"
    ]


def test_cells_that_cannot_be_read_are_told_as_without_a_cluster(workers, parquet_release):
    path = parquet_release.with_name("synthetic.parquet")
    frame = survey(300, 2)
    frame.assign(age=frame["age"].astype(str).replace("30", "Zarathustra")).to_parquet(path)
    told = []
    for executor in (workers, SERIAL):
        with pytest.raises(InputError, match="not numeric") as caught:
            load_release(parquet_release, executor=executor)
        told.append(caught.value.problems)
    assert told[0] == told[1]
    assert "Zarathustra" not in str(told)


def test_a_file_that_changes_while_workers_read_it_is_refused(workers, parquet_release):
    path = parquet_release.with_name("holdout.parquet")

    class Late:
        """The workers, before whose second call the file is written again."""

        jobs, calls = 2, 0

        def map(self, *arguments):
            self.calls += 1
            if self.calls == 2:
                path.write_bytes(path.read_bytes())
            return workers.map(*arguments)

    with pytest.raises(InputError, match="was changed while it was read") as caught:
        load_release(parquet_release, executor=Late())
    assert [problem.file for problem in caught.value.problems] == [str(path)]


def test_a_worker_killed_while_it_reads_changes_nothing(
    workers, client, parquet_release, here, tmp_path
):
    died = tmp_path / "died"

    def mortal(mark):
        from privgate.data import arrow_files, opening

        def deadly(path, *, place):
            import os
            from pathlib import Path

            if not Path(mark).exists():
                Path(mark).touch()
                os._exit(1)
            return opening.opened(path, place=place)

        arrow_files.opened = deadly

    client.run(mortal, str(died))
    there = judged(parquet_release, workers)
    assert died.exists()
    assert here == []
    assert there == judged(parquet_release, SERIAL)


def test_tables_given_by_options_are_guessed_at_and_read_there(workers, parquet_release, here):
    paths = {name: parquet_release.with_name(f"{name}.parquet") for name in TABLES}
    there = release_from_flags(**paths, quasi=["age"], sensitive=["income"], executor=workers)
    assert here == []
    assert there.facts == release_from_flags(**paths, quasi=["age"], sensitive=["income"]).facts


def test_csv_stays_with_the_client(workers, parquet_release):
    folder = parquet_release.parent
    for seed, name in enumerate(TABLES):
        survey(300, seed).to_csv(folder / f"{name}.csv", index=False)
    paths = {name: folder / f"{name}.csv" for name in TABLES}
    calls = []

    class Watched:
        jobs = 2

        def map(self, task, shared, parts):
            calls.extend(parts)
            return workers.map(task, shared, parts)

    described = {"columns": SURVEY_COLUMNS, "name": "survey"}
    there = release_from_tables(**paths, **described, executor=Watched())
    assert calls == []
    assert there.facts == release_from_tables(**paths, **described).facts
