#!/usr/bin/env python3
"""Writes docs/python-api.md: every public name of the Python package with its signature and docstring.

    scripts/python-reference.py            # after scripts/try-python.sh, with a Python that has Gymnasium
    scripts/python-reference.py --check    # exits with 1 if the page is out of date
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python-api.md"
INTRODUCTION = """# Python API

Every public name of the package `isochrone`, with its arguments and types. How to use them: [From Python](python.md). This page is
written by `scripts/python-reference.py`.
"""
SECTIONS = ("Parameters", "Returns", "Attributes", "Raises", "Examples", "Notes")
ENTRY = re.compile(r"[\w*, ]+:")
"""Begins an entry in a list of parameters."""
ROLES = re.compile(r":(?:meth|class|func|mod):`~?([^`]+)`")


def page() -> str:
    import isochrone

    parts = [INTRODUCTION]
    for name in sorted(set(isochrone.__all__) - {"__version__"}, key=str.lower):
        thing = getattr(isochrone, name)
        parts += list(described(name, thing, 2))
    return "\n".join(parts).rstrip() + "\n"


def described(name: str, thing: Any, depth: int) -> Iterator[str]:
    """A heading, the signature, the docstring; then the members of a class or a module."""
    yield f"\n{'#' * depth} `{name}`\n"
    if inspect.isclass(thing) or callable(thing):
        yield f"```python\n{signature(name, thing)}\n```\n"
    yield text_of(thing)
    if inspect.isclass(thing):
        yield from fields(thing)
        for member, value in members(thing):
            yield from described_member(f"{name}.{member}", value)
    elif inspect.ismodule(thing):
        for member in sorted(getattr(thing, "__all__", [])):
            yield from described(f"{name}.{member}", getattr(thing, member), depth + 1)


def fields(thing: type) -> Iterator[str]:
    """The fields of a dataclass, documented by the texts behind them."""
    if not is_dataclass(thing):
        return
    body = ast.parse(inspect.getsource(thing)).body[0].body
    for field, text in zip(body, body[1:], strict=False):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and is_text and not ast.unparse(field.annotation).startswith("ClassVar"):
            yield f"- **{field.target.id}**: {plain(' '.join(inspect.cleandoc(text.value.value).split()))}"


def described_member(name: str, value: Any) -> Iterator[str]:
    yield f"\n**`{name}`**\n"
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    if inspect.isfunction(function):
        yield f"```python\n{signature(name, function)}\n```\n"
    yield text_of(function)


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """What a class defines itself and documents."""
    for name, value in vars(thing).items():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        is_public = not name.startswith("_") or name == "__call__"
        documented = inspect.isfunction(function) or isinstance(value, property) or hasattr(value, "attrname")
        if is_public and documented and inspect.getdoc(function):
            yield name, value


def signature(name: str, thing: Any) -> str:
    """One line, or one argument a line if that is long. Types are as they are written in the sources."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"{name}(...)"
    parts, had_star = [], False
    for of in found.parameters.values():
        if of.name in ("self", "cls"):
            continue
        if of.kind is of.KEYWORD_ONLY and not had_star:
            parts.append("*")
        had_star |= of.kind in (of.KEYWORD_ONLY, of.VAR_POSITIONAL)
        parts.append(parameter(of))
    answer = found.return_annotation
    answer = "" if answer is inspect.Signature.empty else f" -> {written(answer)}"
    line = f"{name}({', '.join(parts)}){answer}"
    return line if len(line) <= 110 else f"{name}(\n" + "".join(f"    {of},\n" for of in parts) + f"){answer}"


def parameter(of: inspect.Parameter) -> str:
    stars = {of.VAR_POSITIONAL: "*", of.VAR_KEYWORD: "**"}.get(of.kind, "")
    kind = "" if of.annotation is of.empty else f": {written(of.annotation)}"
    default = "" if of.default is of.empty else f" = {of.default!r}"
    return f"{stars}{of.name}{kind}{default}"


def written(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def text_of(thing: Any) -> str:
    """The docstring as Markdown."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    out: list[str] = []
    section, is_code = None, False
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line in SECTIONS and set(following) == {"-"}:
            section = line
            out.append(f"*{line}*\n")
        elif line and set(line) == {"-"}:
            continue
        elif line.startswith(">>> ") or (is_code and line):
            if not is_code:
                out.append("```python")
            is_code = True
            out.append(line)
        else:
            if is_code:
                out.append("```")
                is_code = False
            if line and not line.startswith(" ") and not ENTRY.fullmatch(line):
                section = None
            out.append(argument(line) if section in ("Parameters", "Attributes") else plain(line))
    if is_code:
        out.append("```")
    return "\n".join(out) + "\n"


def argument(line: str) -> str:
    """`name:` begins an entry of a list, and indented lines belong to it."""
    if line and not line.startswith(" "):
        return f"- **{plain(line.rstrip(':'))}**:"
    return "  " + plain(line.strip()) if line.strip() else line


def plain(line: str) -> str:
    line = ROLES.sub(r"`\1`", line).replace("``", "`")
    # Outside code, brackets and stars would mean something.
    return line.replace("<", "&lt;") if "`" not in line else line


def main() -> None:
    sys.path.insert(0, str(PAGE.parents[1] / "python"))
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/python-api.md is out of date; scripts/python-reference.py writes it")


if __name__ == "__main__":
    main()
