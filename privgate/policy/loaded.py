"""A policy together with the documents it was written in, its own and those of its parents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel

from privgate.data.documents import problem_at

if TYPE_CHECKING:
    from privgate.data.documents import Document
    from privgate.errors import Problem
    from privgate.policy.model import Policy, RulePath

_OWN = {"privgate", "id", "version", "title", "owner"}  # never taken from a parent


@dataclass(frozen=True)
class LoadedPolicy:
    """A resolved policy, what its own document states, and the parent it extends."""

    policy: Policy
    document: Document
    stated: Policy
    parent: LoadedPolicy | None = None

    @property
    def parents(self) -> tuple[LoadedPolicy, ...]:
        """Return the chain of parents, the nearest first."""
        return () if self.parent is None else (self.parent, *self.parent.parents)

    @property
    def title(self) -> str:
        """Return name and version."""
        return f"{self.policy.id} {self.policy.version}"

    def origin(self, path: RulePath) -> tuple[LoadedPolicy, RulePath] | None:
        """Return who states an entry of the resolved policy, and where; None if nobody does."""
        own = self._own_path(path)
        if own is not None and (_states(self.stated, own) or own[0] in _OWN):
            return self, own
        above = self._parent_path(path)
        return None if self.parent is None or above is None else self.parent.origin(above)

    def problem(self, path: RulePath, message: str, remedy: str | None = None) -> Problem:
        """Return a problem of the resolved policy, at the place of the file that it comes from."""
        found = self.origin(path)
        while found is None and path:
            path = path[:-1]
            found = self.origin(path)
        source, place = found or (self, path)
        return problem_at(source.document, place, message, remedy)

    def where(self, path: RulePath) -> str:
        """Return file and line that an entry of the resolved policy comes from, for a message."""
        return str(replace(self.problem(path, ""), path=None))

    def _own_path(self, path: RulePath) -> RulePath | None:
        """Return where this document would state an entry of the resolved policy."""
        if len(path) < 2 or path[0] != "rules" or not isinstance(path[1], int):
            return path
        name = self.policy.rules[path[1]].id
        own = [rule.id for rule in self.stated.rules]
        return ("rules", own.index(name), *path[2:]) if name in own else None

    def _parent_path(self, path: RulePath) -> RulePath | None:
        """Return where the resolved parent has an entry; None for a rule that it does not have."""
        if self.parent is None or len(path) < 2 or path[0] != "rules":
            return path
        ids = [rule.id for rule in self.parent.policy.rules]
        name = self.policy.rules[int(path[1])].id
        return ("rules", ids.index(name), *path[2:]) if name in ids else None


def _states(model: BaseModel, path: RulePath) -> bool:
    """Return whether an entry was written; what is inside a list or mapping was, with it."""
    here: object = model
    for part in path:
        if isinstance(here, BaseModel):
            if part not in here.model_fields_set:
                return False
            here = getattr(here, str(part))
        elif isinstance(here, tuple) and isinstance(part, int) and part < len(here):
            here = here[part]
    return True
