#!/usr/bin/env python3
"""Checks the links between files of this repository: scripts/check-links.py [PAGE.md …]

A relative link must lead to a file or folder that git tracks, or would track (ignored files do not count), and its #anchor to a
heading of that page. Anchors are those of mdbook and GitHub. Links of the web, code and HTML comments are skipped. Exits with 1 and
names file, line and link of each that is broken. Needs the standard library only.
"""

import posixpath
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "*.md", "docs/**/*.md", "experiments/**/*.md", "examples/**/*.md", "benches/**/*.md", "crates/*/README.md", "python/README.md",
]  # fmt: skip

FENCE = re.compile(r"^[ >]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.S)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.S)
# [text](target "title") and ![text](target), [label]: target, and the two attributes of HTML.
LINK = re.compile(
    r"""\]\(\s*(?:<(?P<angle>[^<>\n]*)>|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)"""
    r"""|^[ ]{0,3}\[[^\]\n]+\]:[ \t]*<?(?P<reference>[^\s<>]+)|\b(?:src|href)=["'](?P<html>[^"']*)["']""",
    re.M,
)
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.M)
UNDERLINED = re.compile(r"^ {0,3}(?=\S)(?![#>|-])(.+)\n {0,3}(?:=+|-+)[ \t]*$", re.M)
OWN_ID = re.compile(r"""<[a-zA-Z][^<>]*\b(?:id|name)=["']([^"']+)["']""")


@cache
def files():
    """All files that git tracks or would track, and their folders; outside a clone, what lies there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    names = done.stdout.split("\0") if done.returncode == 0 else [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")]
    names = {name for name in names if name and (ROOT / name).exists()}
    return names | {parent.as_posix() for name in names for parent in Path(name).parents}


def blank(match):
    """Spaces instead of what was found, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match.group())


@cache
def text_of(page):
    """A page without comments and blocks of code."""
    lines, fence = [], None
    for line in COMMENT.sub(blank, (ROOT / page).read_text(encoding="utf-8")).split("\n"):
        found = FENCE.match(line)
        if fence is None:
            fence = found and found[1]
            lines.append("" if found else line)
        else:
            lines.append("")
            if found and found[1].startswith(fence) and line.strip(" >") == found[1]:
                fence = None
    return "\n".join(lines)


def slug(heading):
    """The id of a heading: letters, digits, hyphens and underscores of its text, spaces as hyphens."""
    shown = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    shown = re.sub(r"</?[a-zA-Z][^<>]*>", "", shown).replace("*", "")
    kept = [c for c in shown.lower() if c in " -_" or unicodedata.category(c)[0] in "LNM"]
    return "".join(kept).replace(" ", "-")


@cache
def anchors(page):
    text, found, seen = text_of(page), set(), {}
    headings = sorted([*HEADING.finditer(text), *UNDERLINED.finditer(text)], key=lambda match: match.start())
    for name in (slug(heading[1]) for heading in headings):
        number = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{number}" if number else name)
    return found | set(OWN_ID.findall(text))


def complaint(page, link):
    """What is wrong with a link, if anything is."""
    if not link or SCHEME.match(link):
        return "" if link else "leads nowhere"
    path, _, anchor = link.partition("#")
    path = unquote(path.partition("?")[0])
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if target.startswith(("..", "/")):
        return "leads out of the repository"
    if target not in files():
        return f"{target} does not exist"
    if anchor and target.endswith(".md") and unquote(anchor) not in anchors(target):
        return f"{target} has no heading #{unquote(anchor)}"
    return ""


named = [Path(page).resolve().relative_to(ROOT).as_posix() for page in sys.argv[1:]]
pages = named or sorted({path.relative_to(ROOT).as_posix() for pattern in PAGES for path in ROOT.glob(pattern)} & files())
checked, broken = 0, 0
for page in pages:
    text = CODE_SPAN.sub(blank, text_of(page))
    for match in LINK.finditer(text):
        link = next(group for group in match.groups() if group is not None)
        checked += 1
        wrong = complaint(page, link)
        if wrong:
            broken += 1
            print(f"{page}:{text.count(chr(10), 0, match.start()) + 1}: {link}: {wrong}", file=sys.stderr)
print(f"{checked} links in {len(pages)} pages, {broken} broken")
sys.exit(1 if broken else 0)
