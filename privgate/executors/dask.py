"""Computations on the workers of a Dask cluster; needs ``privgate[cluster]``.

Which worker does what, how many there are, and whether one dies meanwhile, changes no digit: what a
part needs comes with it, and the answers are taken in the order of the parts.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from privgate.errors import ExecutorError, InputError, Problem
from privgate.executors.local import Serial

try:
    from dask.utils import format_bytes
    from distributed import KilledWorker
    from distributed.client import ClosedClientError

    from privgate.executors.connection import connected, smallest_memory
    from privgate.executors.parcels import Parcel, installed, work
except ImportError as cause:
    raise InputError(
        Problem(
            f"a cluster needs a package that is not installed ({cause.name})",
            path="--cluster",
            remedy="pip install 'privgate[cluster]'",
        )
    ) from cause

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from distributed import Client, Future

    from privgate.executors.parcels import Answer

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")

LOOK = 5.0  # seconds between looks at whether anybody still works
STALLED = 60.0  # seconds without a worker that works, after which nobody is waited for
SENT_AGAIN = 2  # how often data that died with their workers are sent anew in one map
ROOM = 0.7  # of a worker's memory, for what all parts need


@contextmanager
def on_cluster(
    address: str, *, jobs: int = 1, worker_memory: str | None = None
) -> Iterator[Workers]:
    """Yield an executor that works on a cluster, and leave the cluster afterwards.

    Parameters
    ----------
    address
        Address of a scheduler, ``tcp://HOST:PORT`` or ``tls://HOST:PORT``; or ``local`` for workers
        started on this machine, ``jobs`` of them.
    jobs
        Number of threads that may work on this machine besides.
    worker_memory
        Memory limit of each worker started on this machine, such as ``4GB``; by default an equal
        share.

    Raises
    ------
    InputError
        If the address cannot be used.
    ExecutorError
        If there is no cluster, or it runs other versions; later also if it breaks down.

    Examples
    --------
    ::

        with on_cluster("tcp://10.0.0.1:8786") as executor:
            found = privgate.assess(release, policy, executor=executor)
    """
    with connected(address, workers=jobs, memory=worker_memory) as client:
        workers = Workers(client, address, jobs)
        try:
            yield workers
        finally:
            workers.forget()


class Workers:
    """Does some parts at a time, each on a worker of a cluster.

    What all parts need is sent once and kept until other data are sent, so that calls for the same
    object do not send it again. Within a task every executor is :class:`Serial`.
    """

    def __init__(self, client: Client, address: str, jobs: int) -> None:
        self._client = client
        self._address = address
        self._jobs = jobs
        self._shared: object = None
        self._sent: Future[Any] | None = None
        self._size = 0
        self._block = ""

    @property
    def jobs(self) -> int:
        """Return how many threads may work on this machine."""
        return self._jobs

    def __reduce__(self) -> tuple[type[Serial], tuple[()]]:
        """Arrive on a worker as :class:`Serial`: a task does not wait for other tasks."""
        return Serial, ()

    def map(self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]) -> Iterator[T]:
        """Yield what the task makes of every part, in their order.

        Twice as many parts as there are threads are under way, so that answers do not pile up.

        Raises
        ------
        ExecutorError
            If the cluster breaks down.
        """
        with closing(self._answers(task, shared, parts)) as answers:
            for answer in answers:
                if isinstance(answer.error, MemoryError):
                    raise self._too_small("a worker ran out of memory") from answer.error
                if answer.error is not None:
                    raise answer.error
                yield answer.value

    def forget(self) -> None:
        """Free what was sent."""
        self._shared, self._sent = None, None

    def _answers(
        self, task: Callable[[S, P], T], shared: S, parts: Sequence[P]
    ) -> Generator[Answer]:
        left = iter(parts)
        waiting: deque[tuple[P, Future[Any]]] = deque()
        losses = 0
        try:
            room = self._room()
            while True:
                for part in islice(left, room - len(waiting)):
                    waiting.append((part, self._begun(task, shared, part)))
                if not waiting:
                    return
                try:
                    answer = self._answer(waiting[0][1])
                except CancelledError:
                    losses += 1
                    if losses > SENT_AGAIN or not self._is_connected():
                        raise
                    self.forget()  # the data died with the workers that held them
                    waiting = deque((part, self._begun(task, shared, part)) for part, _ in waiting)
                    continue
                waiting.popleft()
                yield answer
        except (KilledWorker, CancelledError, ClosedClientError, OSError, RuntimeError) as cause:
            raise self._explained(cause) from cause
        finally:
            with suppress(Exception):  # the cluster may be gone
                self._client.cancel([future for _, future in waiting])

    def _begun(self, task: Callable[[S, P], T], shared: S, part: P) -> Future[Any]:
        self._block = "the block"
        if isinstance(part, slice):
            self._block += f" of {part.stop - part.start} rows"
        own = Parcel.of((task, part, installed()))
        return self._client.submit(work, self._parcel(shared), own, pure=False, retries=0)

    def _parcel(self, shared: object) -> Future[Any]:
        """Return what all parts need where the workers have it."""
        if self._sent is None or self._shared is not shared:
            self.forget()
            parcel = Parcel.of(shared)
            self._size = parcel.size
            limit = smallest_memory(self._client)
            if limit is not None and parcel.size > ROOM * limit:
                raise self._too_small(f"a worker has {format_bytes(limit)} of memory")
            self._sent = self._scattered(parcel)
            self._shared = shared
        return self._sent

    def _scattered(self, parcel: Parcel) -> Future[Any]:
        """Return a parcel that all workers have, also if one of them dies meanwhile."""
        for attempt in range(SENT_AGAIN + 1):
            self._client.wait_for_workers(1, timeout=STALLED)
            try:
                (sent,) = self._client.scatter([parcel], broadcast=True, hash=False)
            except OSError:
                if attempt == SENT_AGAIN or not self._is_connected():
                    raise
            else:
                return cast("Future[Any]", sent)
        raise AssertionError("the last attempt returns or raises")

    def _room(self) -> int:
        return max(2, 2 * sum(int(threads) for threads in self._client.nthreads().values()))

    def _answer(self, future: Future[Any]) -> Answer:
        """Return an answer, however long it takes, as long as anybody works."""
        worked = monotonic()
        while True:
            try:
                return cast("Answer", future.result(timeout=LOOK))
            except TimeoutError:
                if self._anybody_works():
                    worked = monotonic()
                elif monotonic() - worked > STALLED:
                    raise self._too_small(f"no worker has worked for {STALLED:g} s") from None

    def _anybody_works(self) -> bool:
        workers = self._client.scheduler_info()["workers"].values()
        return any(worker["status"] == "running" for worker in workers)

    def _is_connected(self) -> bool:
        """Return whether the scheduler answers: a client notices late that it does not."""
        if self._client.status != "running":
            return False
        try:
            self._client.nthreads()
        except (CancelledError, OSError, RuntimeError):
            return False
        return True

    def _explained(self, cause: Exception) -> ExecutorError:
        died = isinstance(cause, CancelledError | OSError) and self._is_connected()
        if died or isinstance(cause, KilledWorker):
            return self._too_small("one worker after the other died at the same work")
        return ExecutorError(
            Problem(
                f"the cluster at {self._address} was lost while it worked ({type(cause).__name__})",
                path="--cluster",
                remedy="see the logs of its scheduler and workers, then run the command again",
            )
        )

    def _too_small(self, found: str) -> ExecutorError:
        return ExecutorError(
            Problem(
                f"{found}; every worker holds {format_bytes(self._size)} that all parts need, "
                f"beside {self._block} that each of its threads works on",
                path="--cluster",
                remedy="give the workers more memory, or fewer threads each (docs/cluster.md)",
            )
        )
