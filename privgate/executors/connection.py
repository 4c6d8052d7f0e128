"""The way to the workers of a cluster, and whether they are fit to be given work."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import dask
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, Security

from privgate.errors import ExecutorError, InputError, Problem
from privgate.executors.parcels import differences, installed, mismatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


LOCAL = "local"
CONNECT = 10.0  # seconds for a scheduler to answer
ARRIVE = 60.0  # seconds for the first worker to come
ALLOWED_FAILURES = 2  # deaths that a part may be near to: others wait on the same worker
# Blocks are personal data: none on disk. A worker over its limit is ended, not paused, since what
# it holds does not become less by waiting.
_LOCAL_SETTINGS = {
    "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}


@contextmanager
def connected(address: str, *, workers: int, memory: str | None) -> Iterator[Client]:
    """Yield a client of a cluster whose workers run the same code, and close it afterwards.

    ``workers`` and ``memory`` are number and limit of workers started on this machine.

    Raises
    ------
    InputError
        If the address or the limit cannot be used.
    ExecutorError
        If nobody answers, no worker comes, or a worker runs something else.
    """
    with _quiet(), _opened(address, workers, memory) as client:
        _await_workers(client, address)
        _require_same(client, installed())
        yield client


def smallest_memory(client: Client) -> int | None:
    """Return the least memory limit of a worker, ``None`` if none has one."""
    limits = [worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()]
    return min((limit for limit in limits if limit), default=None)


def _opened(address: str, workers: int, memory: str | None) -> Any:
    if address == LOCAL:
        return _local(workers, memory)
    if not re.fullmatch(r"(tcp|tls)://[^/\s]+:\d+", address):
        raise _unusable(
            f"{address!r} is no address of a scheduler",
            "give local, tcp://HOST:PORT or tls://HOST:PORT",
        )
    if memory is not None:
        raise _unusable(
            f"the memory of the workers at {address} is theirs to limit",
            "leave out --worker-memory, which is for --cluster local",
        )
    return _remote(address)


@contextmanager
def _local(workers: int, memory: str | None) -> Iterator[Client]:
    """Yield a client of workers on this machine, which speak TLS: other users could connect."""
    with dask.config.set(_LOCAL_SETTINGS):
        try:
            limit = "auto" if memory is None else parse_bytes(memory)
        except ValueError:
            raise _unusable(
                f"{memory!r} is no amount of memory", "give 4GB or 500MiB", "--worker-memory"
            ) from None
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=limit,
                host="tls://127.0.0.1",
                security=True,
                dashboard_address="127.0.0.1:0",  # else it listens for anybody on a fixed port
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as cause:
            raise ExecutorError(
                Problem(
                    f"workers could not be started on this machine ({type(cause).__name__})",
                    path="--cluster",
                    remedy="leave --cluster out to work in threads",
                )
            ) from cause
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    security = _security(address)
    try:
        client = Client(address, timeout=CONNECT, security=security, set_as_default=False)
    except (OSError, RuntimeError, TimeoutError, ValueError) as cause:
        raise ExecutorError(
            Problem(
                f"no scheduler answers at {address} within {CONNECT:g} s ({type(cause).__name__})",
                path="--cluster",
                remedy="start `dask scheduler` there, or give the address it printed; a scheduler "
                "with TLS needs tls:// and certificates (docs/cluster.md)",
            )
        ) from cause
    with client:
        yield client


def _security(address: str) -> Security:
    """Return keys and certificates from Dask's own settings, or refuse to go without them."""
    try:
        security = Security()
        ready = security.get_connection_args("client").get("ssl_context") is not None
    except (OSError, ValueError) as cause:
        raise _unusable(
            f"the certificates for {address} cannot be read ({cause.__class__.__name__})",
            "see the files that Dask's settings distributed.comm.tls name (docs/cluster.md)",
        ) from cause
    if address.startswith("tls:") and not ready:
        raise _unusable(
            f"{address} needs certificates, and Dask's settings name none",
            "set distributed.comm.tls.ca-file and distributed.comm.tls.client.cert and .key, or "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on (docs/cluster.md)",
        )
    return security


def _await_workers(client: Client, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=ARRIVE)
    except TimeoutError as cause:
        raise ExecutorError(
            Problem(
                f"the scheduler at {address} has no workers, and none came within {ARRIVE:g} s",
                path="--cluster",
                remedy="start workers: `dask worker ADDRESS`",
            )
        ) from cause


def _require_same(client: Client, wanted: Mapping[str, str]) -> None:
    """Refuse workers on which another version of anything that makes digits is installed."""
    for place, found in client.run(installed, on_error="return").items():
        if isinstance(found, Exception):
            raise ExecutorError(
                Problem(
                    f"the worker {place} cannot load privgate ({type(found).__name__})",
                    path="--cluster",
                    remedy=f"install {wanted['privgate']} with [cluster] where the workers run",
                )
            )
        if differing := differences(wanted, found):
            raise ExecutorError(mismatch(differing))


def _unusable(message: str, remedy: str, path: str = "--cluster") -> InputError:
    return InputError(Problem(message, path=path, remedy=remedy))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own words off the screen: what went wrong is told once, by privgate."""
    talkative = ("distributed", "tornado", "asyncio")
    levels = {
        name: logging.getLogger(name).level
        for name in (*talkative, *logging.root.manager.loggerDict)
        if name.split(".", maxsplit=1)[0] in talkative
    }
    for name in levels:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
