"""Where a run tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Something that is told about the stages of a run."""

    def started(self, stages: int) -> None:
        """Tell that a run of so many stages begins."""

    def stage(self, title: str) -> None:
        """Tell that the next stage begins."""

    def finished(self) -> None:
        """Tell that all stages are done."""


class Silent:
    """Says nothing."""

    def started(self, stages: int) -> None:
        """Say nothing."""

    def stage(self, title: str) -> None:
        """Say nothing."""

    def finished(self) -> None:
        """Say nothing."""
