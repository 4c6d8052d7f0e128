"""Two worker processes on this machine: the digits of one, and clear words when they are lost."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import dask
import numpy as np
import pytest

import privgate
from privgate.cli.computing import computing
from privgate.errors import ExecutorError, InputError, NotAssessable
from privgate.evidence import canonical_bytes
from privgate.executors import Serial
from privgate.policy import policy_from_text
from privgate.testing.samples import survey, survey_release
from privgate.trials import PowerPlan, measure_power

pytest.importorskip("distributed")

from distributed import LocalCluster, Security

from privgate.executors import connection
from privgate.executors.dask import on_cluster
from privgate.executors.parcels import installed

pytestmark = pytest.mark.slow

RULES = {
    "privet": ("{permutations: 19}", "p_pl", "min: 0.01"),
    "rapid": ("{null_refits: 20, attackers: [cart], bootstrap: 50}", "gap", "max: 0.5"),
    "mir": ("{repetitions: 3}", "tpr", "max: 0.9"),
    "fld": ("{most_rows: 150}", "gap", "min: -100"),
    "c_t": ("{permutations: 19}", "p_c_t", "min: 0.01"),
    "linkability": ("{}", "gap", "max: 0.5"),
}


RULE = """\
  - id: {id}
    metric: {metric}
    params: {params}
    measure: {measure}
    require: {{{limit}}}
    judge: point
    severity: blocking
    source: {{kind: house, ref: here}}
    rationale: an example
"""


def stated(*names):
    head = "privgate: policy/v1\nid: mine\nversion: 1.0.0\ntitle: Mine\nrules:\n"
    return head + "".join(
        RULE.format(
            id=name.replace("_", "-"), metric=name, params=params, measure=measure, limit=limit
        )
        for name, (params, measure, limit) in RULES.items()
        if name in (names or RULES)
    )


def policy(*names):
    return privgate.bind(policy_from_text(stated(*names)), privgate.all_metrics())


@pytest.fixture(scope="module")
def workers():
    with on_cluster("local", jobs=2) as executor:
        yield executor


def test_evidence_is_that_of_one_thread(workers):
    release = survey_release(200)
    how = {"seed": 1, "created": datetime(2026, 1, 1, tzinfo=UTC), "debug": True}
    there = privgate.assess(release, policy(), executor=workers, **how)
    here = privgate.assess(release, policy(), **how)
    assert canonical_bytes(there.evidence) == canonical_bytes(here.evidence)
    assert {it.status for it in here.evidence.measurements} == {"measured"}


def test_a_study_is_that_of_one_thread(workers):
    plan = PowerPlan(shares=(0.1,), fields=(1.0,), trials=3)
    release, asked = survey_release(60), policy("c_t")
    assert measure_power(release, asked, plan, executor=workers) == measure_power(
        release, asked, plan
    )


def test_answers_come_in_the_order_of_the_parts(workers):
    def late(shared, part):
        from time import sleep

        sleep(0.2 if part == 0 else 0)
        return shared[part]

    squares = np.arange(40) ** 2
    assert list(workers.map(late, squares, range(40))) == squares.tolist()
    assert list(workers.map(late, squares, [])) == []


def test_the_same_data_are_sent_once_and_freed(workers):
    data = np.zeros(10)
    list(workers.map(lambda _shared, part: part, data, [1]))
    sent = workers._sent.key
    list(workers.map(lambda _shared, part: part, data, [1]))
    assert workers._sent.key == sent
    list(workers.map(lambda _shared, part: part, np.zeros(10), [1]))
    workers.forget()
    until = monotonic() + 10
    while sent in workers._client.who_has() and monotonic() < until:
        sleep(0.05)
    assert sent not in workers._client.who_has()


def test_what_a_task_raises_reaches_the_caller(workers):
    with pytest.raises(ZeroDivisionError):
        list(workers.map(lambda shared, part: shared // part, 1, [1, 0, 1]))

    def unfit(_shared, _part):
        from privgate.errors import NotAssessable

        raise NotAssessable("too few rows")

    with pytest.raises(NotAssessable, match=r"too few rows"):
        list(workers.map(unfit, None, [1]))


def test_within_a_task_nothing_is_sent_on(workers):
    def nested(shared, part):
        return type(shared).__name__, list(shared.map(lambda a, b: a + b, part, [1, 2]))

    (found,) = workers.map(nested, workers, [10])
    assert found == (Serial.__name__, [11, 12])


BLAS = """
import scipy.linalg
from threadpoolctl import threadpool_info

from privgate.executors.parcels import Parcel, installed, work

def threads(shared=None, part=None):
    return {it["num_threads"] for it in threadpool_info() if it["user_api"] == "blas"}

print(threads(), work(Parcel.of(None), Parcel.of((threads, 0, installed()))).value)
"""


def test_blas_has_one_thread_within_a_task():
    two = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")
    command = [sys.executable, "-c", BLAS]
    done = subprocess.run(
        command, env={**os.environ, **two}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["{2}", "{1}"]


def test_a_worker_over_its_memory_limit_is_told():
    def greedy(_shared, _part):
        from time import sleep

        import numpy as np

        kept = []
        for _ in range(100):
            kept.append(np.ones(2_000_000))
            sleep(0.02)
        return len(kept)

    with on_cluster("local", jobs=1, worker_memory="500MB") as executor:
        with pytest.raises(ExecutorError, match=r"476.84 MiB of memory.*holds 762"):
            list(executor.map(greedy, np.zeros(100_000_000), [1]))
        with pytest.raises(
            ExecutorError, match=r"one worker after the other died|no worker has worked"
        ):
            list(executor.map(greedy, None, [1]))


def test_another_version_is_refused_before_work_begins(workers):
    workers._client.wait_for_workers(1)
    wanted = {**installed(), "numpy": "0.1"}
    with pytest.raises(ExecutorError, match=r"numpy .* in place of 0.1"):
        connection._require_same(workers._client, wanted)


def started(*command, **options):
    here = {**os.environ, "PYTHONPATH": str(Path(privgate.__file__).parents[1])}
    return subprocess.Popen([sys.executable, *command], env=here, text=True, **options)


def test_a_scheduler_that_goes_leaves_nothing_half_written(tmp_path):
    for number, name in enumerate(("train", "holdout", "synthetic")):
        survey(400, number).to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "policy.yaml").write_text(stated("privet").replace("19}", "9999}"))
    tables = [f"--{name}={name}.csv" for name in ("train", "holdout", "synthetic")]
    address = f"127.0.0.1:{20000 + os.getpid() % 10000}"
    module, command = "distributed.cli.dask_", "from privgate.cli.main import run; run()"
    quiet = {"stderr": subprocess.DEVNULL}
    scheduler = started(
        "-m", f"{module}scheduler", "--no-dashboard", "--host", f"tcp://{address}", **quiet
    )
    worker = started("-m", f"{module}worker", f"tcp://{address}", "--no-dashboard", **quiet)
    try:
        check = started(
            *("-c", command, "check", *tables, "--policy=policy.yaml", "--out=out"),
            f"--cluster=tcp://{address}",
            cwd=tmp_path,
            stderr=subprocess.PIPE,
        )
        told = ""
        while "measuring 1" not in told:
            line = check.stderr.readline()
            assert line, told
            told += line
        scheduler.kill()
        _, rest = check.communicate(timeout=100)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    assert check.returncode == 2, told + rest
    assert "was lost while it worked" in rest
    assert "Traceback" not in rest
    assert {path.name for path in tmp_path.iterdir()} == {
        "train.csv", "holdout.csv", "synthetic.csv", "policy.yaml",
    }  # fmt: skip


def test_a_scheduler_that_has_just_gone_is_not_taken_for_dying_workers(workers, monkeypatch):
    def broken(*_, **__):
        raise OSError("connection reset by peer")

    monkeypatch.setattr(workers._client, "nthreads", broken)
    assert workers._client.status == "running"
    with pytest.raises(ExecutorError, match="was lost while it worked"):
        list(workers.map(lambda _shared, part: part, None, [1]))


def test_nobody_at_the_address(monkeypatch):
    monkeypatch.setattr(connection, "CONNECT", 0.5)
    with (
        pytest.raises(
            ExecutorError, match=r"no scheduler answers at tcp://127.0.0.1:1 .*dask sched"
        ),
        on_cluster("tcp://127.0.0.1:1"),
    ):
        pass
    assert ExecutorError.exit_code == 2


@pytest.mark.parametrize(
    ("address", "memory", "told"),
    [
        ("somewhere", None, "no address of a scheduler; give local, tcp://HOST:PORT"),
        ("tcp://somewhere", None, "no address of a scheduler"),
        ("tls://127.0.0.1:1", None, "needs certificates.*TLS__CA_FILE"),
        ("tcp://127.0.0.1:1", "4GB", "theirs to limit"),
        ("local", "much", "no amount of memory; give 4GB"),
        (None, "4GB", "no workers to limit"),
    ],
)
def test_what_cannot_be_used_is_told(address, memory, told):
    with pytest.raises(InputError, match=told), computing(1, address, memory):
        pass


def test_certificates_that_are_not_there_are_told():
    files = ("ca-file", "client.cert", "client.key")
    with (
        dask.config.set({f"distributed.comm.tls.{name}": "/nowhere/it.pem" for name in files}),
        pytest.raises(InputError, match=r"certificates for tls://127.0.0.1:1 cannot be read"),
        on_cluster("tls://127.0.0.1:1"),
    ):
        pass


def test_tls_with_the_certificates_of_dasks_settings(monkeypatch):
    monkeypatch.setattr(connection, "CONNECT", 2)
    keys = Security.temporary()
    named = {
        "ca-file": keys.tls_ca_file,
        "client.cert": keys.tls_client_cert,
        "client.key": keys.tls_client_key,
    }
    with LocalCluster(
        n_workers=1, processes=False, security=keys, host="tls://127.0.0.1", dashboard_address=":0"
    ) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        with (
            dask.config.set({f"distributed.comm.tls.{name}": it for name, it in named.items()}),
            on_cluster(address) as executor,
        ):
            assert list(executor.map(lambda a, b: a + b, 1, [1, 2])) == [2, 3]
        with (
            pytest.raises(ExecutorError, match=r"with TLS needs tls://"),
            on_cluster(address.replace("tls:", "tcp:")),
        ):
            pass


def test_records_that_travel_in_the_clear_are_warned_of(monkeypatch, capsys):
    monkeypatch.setattr(connection, "CONNECT", 0.1)
    for address, warned in (("tcp://privgate.invalid:1", True), ("tcp://127.0.0.1:1", False)):
        with pytest.raises(ExecutorError), computing(1, address, None):
            pass
        assert ("unencrypted" in capsys.readouterr().err) is warned


def test_data_that_died_with_all_workers_are_sent_again(workers, tmp_path):
    def last(shared, part):
        import os
        from pathlib import Path
        from time import monotonic, sleep

        mark = Path(shared[0]) / f"died {part}"
        if not mark.exists():
            mark.touch()
            until = monotonic() + 5  # for the other worker to be at work, too
            while len(list(Path(shared[0]).iterdir())) < 2 and monotonic() < until:
                sleep(0.01)
            os._exit(1)
        return part + shared[1]

    assert list(workers.map(last, (str(tmp_path), 10), [1, 2])) == [11, 12]


def test_a_worker_that_dies_changes_nothing(workers, tmp_path):
    died = tmp_path / "died"

    def mortal(shared, part):
        import os
        from pathlib import Path

        died = Path(shared)
        if part == 3 and not died.exists():
            died.touch()
            os._exit(1)
        return part * 2

    workers._client.wait_for_workers(2)
    sleep(2)  # a worker that dies while it starts is not started again
    assert list(workers.map(mortal, str(died), range(8))) == [0, 2, 4, 6, 8, 10, 12, 14]
    assert died.exists()


def test_a_part_that_kills_its_workers_names_what_to_change(workers):
    def deadly(_shared, _part):
        import os

        os._exit(1)

    told = r"(one worker after the other died|no worker has worked).*block of 512 rows.*more memory"
    with pytest.raises(ExecutorError, match=told):
        list(workers.map(deadly, np.zeros(1000), [slice(0, 512)]))
