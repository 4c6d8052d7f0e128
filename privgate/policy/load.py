"""Policies from files: built-in ones by name, all others by path, each with what it extends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from privgate.data.documents import Document, parse_document, problem_at, read_document, validate
from privgate.data.explanations import did_you_mean
from privgate.errors import PolicyError, Problem
from privgate.policy.extends import loosenings, merged
from privgate.policy.loaded import LoadedPolicy
from privgate.policy.model import Policy
from privgate.resources import resource_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TEMPLATES = ("cnil-anonymeter", "template")  # not complete without the user's own limits or words
SUFFIXES = (".yaml", ".yml")
_NONE: Mapping[str, Document] = {}


def built_in_policies() -> tuple[str, ...]:
    """Return the names of the policies that are shipped and complete, without the templates.

    Examples
    --------
    >>> "card-example" in built_in_policies()
    True
    """
    names = {path.stem for path in resource_folder("policies").glob("*.yaml")}
    return tuple(sorted(names.difference(TEMPLATES)))


def read_policy_document(name_or_path: str, *, faults: list[Problem] | None = None) -> Document:
    """Return the document of a built-in policy, or of the policy file at a path.

    Entries that cannot be read are added to ``faults``, if a list is given, and left empty.

    Raises
    ------
    PolicyError
        If there is no such policy, or its text cannot be read.
    """
    return read_document(policy_file(name_or_path), error=PolicyError, faults=faults)


def load_policy(name_or_path: str) -> LoadedPolicy:
    """Return the policy with a built-in name or at a path, its parents resolved, shapes checked.

    Raises
    ------
    PolicyError
        With every problem of the file and of those it extends.
    """
    return load_document(read_policy_document(name_or_path))


def policy_from_text(text: str, *, name: str = "policy") -> LoadedPolicy:
    """Return the policy that a text is, as :func:`load_policy` does.

    ``name`` stands in messages; a path in ``extends`` begins in its folder.

    Raises
    ------
    PolicyError
        With every problem of the text.
    """
    return load_document(parse_document(text, name=name, error=PolicyError))


def load_document(document: Document, known: Mapping[str, Document] = _NONE) -> LoadedPolicy:
    """Return the policy of a document, with everything it extends; shapes are checked.

    ``known`` holds documents that stand for a name before built-in policies and files do.

    Raises
    ------
    PolicyError
        With every problem of the document and its parents, and everything it loosens.
    """
    chain, problems = lineage(document, known)
    shaped = []
    for source in chain:
        try:
            shaped.append(shaped_policy(source))
        except PolicyError as error:
            problems += error.problems
    if problems:
        raise PolicyError(problems)
    loaded = LoadedPolicy(shaped[-1], chain[-1], shaped[-1])
    for stated, source in zip(shaped[-2::-1], chain[-2::-1], strict=True):
        loaded = LoadedPolicy(merged(stated, loaded.policy), source, stated, loaded)
        problems += _extension_problems(loaded)
    if problems:
        raise PolicyError(problems)
    return loaded


def lineage(
    document: Document, known: Mapping[str, Document] = _NONE
) -> tuple[list[Document], list[Problem]]:
    """Return a document and those of its parents, as far as they can be found, and what cannot."""
    chain = [document]
    while isinstance(name := chain[-1].content.get("extends"), str):
        try:
            parent = _parent_document(name, chain[-1], known)
        except PolicyError as error:
            return chain, list(error.problems)
        chain.append(parent)
        places = [Path(link.name).resolve() for link in chain]
        if places[-1] in places[:-1]:
            circle = " → ".join(link.name for link in chain[places.index(places[-1]) :])
            message = f"the policies extend each other: {circle}"
            remedy = "let one of them stand without a parent"
            return chain[:-1], [problem_at(chain[-2], ("extends",), message, remedy)]
    return chain, []


def shaped_policy(document: Document) -> Policy:
    """Return what a document states, its shape checked; parents are not looked at.

    Raises
    ------
    PolicyError
        With every problem of the document.
    """
    problems: list[Problem] = []
    if "privgate" not in document.content:
        remedy = "begin the file with 'privgate: policy/v1'"
        problems.append(problem_at(document, (), "the file does not say what it is", remedy))
    try:
        policy = validate(document, Policy, error=PolicyError)
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems]) from None
    if problems:
        raise PolicyError(problems)
    return policy


def _parent_document(name: str, child: Document, known: Mapping[str, Document]) -> Document:
    if name in known:
        return known[name]
    if name in built_in_policies():
        return read_document(_built_in_file(name), error=PolicyError)
    path = Path(child.name).parent / name
    if path.is_file():
        return read_document(path, error=PolicyError)
    names = {*known, *built_in_policies()}
    message, remedy = f"there is no policy {name!r}", did_you_mean(name, names)
    if _is_path(name):
        message = f"there is no file {path.as_posix()!r}"
        remedy = "check the path, which begins in the folder of this file"
    else:
        remedy += " or give the path of a file"
    raise PolicyError(problem_at(child, ("extends",), message, remedy))


def _extension_problems(loaded: LoadedPolicy) -> Iterator[Problem]:
    """Yield everything in a child that its parent does not allow."""
    parent = loaded.parent
    if parent is None:
        return
    if loaded.policy.id in {above.policy.id for above in loaded.parents}:
        message = f"the id {loaded.policy.id!r} is also that of a parent"
        yield loaded.problem(("id",), message, "give the policy an id of its own")
    for found in loosenings(loaded.stated, parent.policy):
        message = f"{found.message} ({parent.where(found.parent_path)})"
        yield problem_at(loaded.document, found.path, message, found.remedy)


def _built_in_file(name: str) -> Path:
    return resource_folder("policies") / f"{name}.yaml"


def _is_path(name: str) -> bool:
    return Path(name).suffix in SUFFIXES or len(Path(name).parts) > 1


def policy_file(name_or_path: str) -> Path:
    """Return where the policy with a built-in name, or at a path, is stored.

    Raises
    ------
    PolicyError
        If the word is neither a built-in name nor looks like a path.
    """
    if name_or_path in {*built_in_policies(), *TEMPLATES}:
        return _built_in_file(name_or_path)
    path = Path(name_or_path)
    if _is_path(name_or_path) or path.is_file():
        return path
    raise PolicyError(
        Problem(
            f"there is no policy {name_or_path!r}",
            remedy=f"{did_you_mean(name_or_path, built_in_policies())} or give the path of a file",
        )
    )


def rule_lines(text: str) -> dict[str, int]:
    r"""Return the line, from 1, on which each rule begins that a policy's text itself writes.

    Rules of a parent are not among them, and none is if the text cannot be read.

    Examples
    --------
    >>> rule_lines("rules:\n- id: copies\n- {metric: dcr, id: nearness}")
    {'copies': 2, 'nearness': 3}
    """
    try:
        document = parse_document(text, name="policy", error=PolicyError)
    except PolicyError:
        return {}
    rules = document.content.get("rules")
    found = {
        rule["id"]: document.line(("rules", place))
        for place, rule in enumerate(rules if isinstance(rules, list) else [])
        if isinstance(rule, dict) and isinstance(rule.get("id"), str)
    }
    return {str(name): line for name, line in found.items() if line is not None}
