"""Runs jobs one by one, each in a fork of its own, and says what they took. Standard library only.

A program that is measured, privgate or another, is a process that reads a job a line, loads what
the job needs, and then runs it against the clock. Processor time counts, of all threads and of
finished child processes: a busy machine changes it little.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GIB = 2**30


def serve(prepared: Callable[[dict[str, Any]], Callable[[], object]]) -> None:
    """Answer each line of stdin; ``prepared`` returns what is measured of a job."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a program prints is no answer
    for line in sys.stdin:
        print(json.dumps(measured(prepared, json.loads(line))), file=out, flush=True)


def measured(
    prepared: Callable[[dict[str, Any]], Callable[[], object]], job: dict[str, Any]
) -> dict[str, Any]:
    """Return what a job took: ``cpu`` in seconds and ``memory`` in bytes beyond what was loaded.

    A job that needs more than it may is ``stopped``, by ``cpu`` or by ``memory``.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w", encoding="utf-8") as answer:
            json.dump(_taken(prepared, job), answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        told = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if told:
        found: dict[str, Any] = json.loads(told)
        return found
    if status == -signal.SIGXCPU:
        return {"stopped": "cpu", "most": job["most_seconds"]}
    return {"stopped": "memory"}


def _taken(
    prepared: Callable[[dict[str, Any]], Callable[[], object]], job: dict[str, Any]
) -> dict[str, Any]:
    try:
        run = prepared(job)
        cpu, memory = _seconds(), _peak()
        _limit(resource.RLIMIT_CPU, int(cpu + job["most_seconds"]) + 1)
        _limit(resource.RLIMIT_AS, int(job["most_memory"]))
        run()
        return {"cpu": _seconds() - cpu, "memory": _peak() - memory}
    except MemoryError:
        return {"stopped": "memory"}
    except Exception as cause:  # noqa: BLE001 - of another program, whatever it may be
        traceback.print_exc()
        return {"stopped": type(cause).__name__}


def _limit(kind: int, most: int) -> None:
    resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
