"""Where the parts of a long computation run; which place it is changes no digit."""

from privgate.executors.local import Serial, Threads, threads_of
from privgate.executors.protocol import Executor

SERIAL = Serial()

__all__ = ["SERIAL", "Executor", "Serial", "Threads", "threads_of"]
