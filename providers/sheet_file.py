"""Reading a sheet file: YAML whose every scalar is text, without anchors, aliases or tags.

A price such as 1.20 must not pass through a float and `12:30` must not become a number, so nothing but text, lists and
mappings comes out. Anchors and aliases are refused because a short file can expand into gigabytes through them.
"""

from __future__ import annotations

import yaml

from economics.errors import PermillionError

MAX_SHEET_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 20

_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
Node = str | list["Node"] | dict[str, "Node"]


def read_yaml(text: str) -> Node:
    """The document in `text` as text scalars, lists and mappings.

    Raises:
        PermillionError: `invalid-sheet` with line and column for broken YAML, anchors, aliases, tags, repeated keys,
            documents over 4 MiB or nested deeper than 20.

    >>> read_yaml("rate: 1.20")
    {'rate': '1.20'}
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_SHEET_BYTES:
        raise PermillionError("invalid-sheet", "a sheet may hold 4 MiB at most; split it")
    try:
        _check_events(text)
        root = yaml.compose(text, Loader=_Loader)
    except PermillionError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise PermillionError("invalid-sheet", f"{where}{error.problem or 'not YAML'}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise PermillionError("invalid-sheet", "not YAML that can be read") from None
    if root is None:
        raise PermillionError("invalid-sheet", "the sheet is empty")
    return _plain(root)


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _refused(event, "anchors and aliases are not allowed; write the value out")
        if getattr(event, "tag", None):
            raise _refused(event, "tags are not allowed; every scalar is text")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _refused(event, f"nested deeper than {MAX_DEPTH}")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _plain(node: yaml.Node) -> Node:
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    result: dict[str, Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _refused(key, "a key must be text")
        if key.value in result:
            raise _refused(key, f"the key {key.value!r} stands twice")
        result[key.value] = _plain(value)
    return result


def _refused(at: yaml.Event | yaml.Node, why: str) -> PermillionError:
    mark = at.start_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return PermillionError("invalid-sheet", where + why)
