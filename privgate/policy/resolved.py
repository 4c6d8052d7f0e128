"""The text of a resolved policy: everything that holds, each line with where it comes from."""

from __future__ import annotations

import io
import sys
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from privgate.data.documents import parse_document
from privgate.errors import PolicyError

if TYPE_CHECKING:
    from privgate.policy.loaded import LoadedPolicy
    from privgate.policy.model import RulePath

_COLUMN = 60  # where comments begin
_WIDTH = 100
_HEAD = "# {title}, with everything it extends: {parents}\n"


def resolved_text(loaded: LoadedPolicy) -> str:
    """Return a policy with its parents as one YAML text that can be loaded again.

    A comment on each entry names the policy that says so, or calls it a default if none does.
    """
    policy = loaded.policy
    text = _yaml({"privgate": policy.privgate, **policy.model_dump(mode="json", exclude_none=True)})
    found = parse_document(text, name="resolved policy", error=PolicyError)
    around = {path[:-1] for path in found.lines if path}
    entries = text.splitlines()
    for path, number in found.lines.items():
        if path not in around:
            entry = _folded(entries[number - 1], str(path[-1]), _at(found.content, path))
            entries[number - 1] = _with_comment(entry, _origin(loaded, path))
    parents = " → ".join(parent.title for parent in loaded.parents) or "nothing"
    head = _HEAD.format(title=loaded.title, parents=parents)
    return head + "\n".join(entries) + "\n"


def _at(content: Any, path: RulePath) -> Any:
    for part in path:
        content = content[part]
    return content


def _with_comment(entry: str, comment: str) -> str:
    """Return an entry with its comment; in a folded text it stands on the first line."""
    first, *rest = entry.splitlines()
    return "\n".join((f"{first:<{_COLUMN}}  # {comment}", *rest))


def _folded(line: str, key: str, value: Any) -> str:
    """Return a line, or over several lines if its value is a long text of single-spaced words."""
    before, mark, _ = line.partition(f"{key}: ")
    single_spaced = isinstance(value, str) and " ".join(value.split()) == value
    if len(line) <= _COLUMN or before.strip(" -") or not mark or not single_spaced:
        return line
    indent = " " * (len(before) + 2)
    words = fill(
        value,
        width=_WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{before}{key}: >-\n{words}"


def _origin(loaded: LoadedPolicy, path: RulePath) -> str:
    found = loaded.origin(path)
    return "default" if found is None else f"from {found[0].title}"


def _yaml(content: dict[str, Any]) -> str:
    """Return block-style YAML in which every entry begins and ends on one line."""
    writer = YAML()
    writer.width = sys.maxsize
    text = io.StringIO()
    writer.dump(_on_one_line(content), text)
    return text.getvalue()


def _on_one_line(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _on_one_line(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_on_one_line(value) for value in content]
    if isinstance(content, str) and not content.isprintable():
        return DoubleQuotedScalarString(content)
    if isinstance(content, float) and content.is_integer():
        return int(content)
    return content
