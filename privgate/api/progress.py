"""Progress for whoever sits in front of it: on a terminal or in a notebook, and nowhere else."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from rich.console import Console

from privgate.engine import Silent
from privgate.engine.progress import Pace
from privgate.live_progress import LiveProgress

if TYPE_CHECKING:
    from privgate.engine import Progress


def shown_progress(doing: str) -> Progress:
    """Return the display that fits where messages go; a notebook needs ipywidgets to redraw."""
    console = Console(stderr=True, highlight=False, emoji=False)
    redraws = find_spec("ipywidgets") is not None if console.is_jupyter else console.is_terminal
    return LiveProgress(doing, Pace(), console) if redraws else Silent()
