"""Extraction of the visible texts of the program into the translation files of Qt Linguist: make translations.

Texts are the arguments of tr, trn and mark, the messages and hints of errors, and the words of settings and commands.
An f-string in an error or in mark becomes a template with numbered values: f"{name} has {count:,}" is "{0} has {1:d}".
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "workbench"
FILES = ROOT / "resources" / "translations"
LANGUAGES = ("zh_CN",)
_UNTRANSLATED = ("cli", "tour.py")
"""Modules whose texts are English only: the command line."""
_WORDS = {
    "mark": (slice(1), ()),
    "setting": (slice(1, 3), ("title", "help")),
    "Command": (slice(1, 2), ("tip",)),
    "Symptom": (slice(2), ("title", "detail")),
    "Finding": (slice(3, 4), ("detail",)),
    "Content": (slice(1, 2), ("words",)),
    "Attachment": (slice(0), ("problem",)),
    "without_text": (slice(2), ()),
}
"""Calls with visible texts as arguments: the positions and keyword names of those arguments."""
_OF_ERRORS = slice(2), ("message", "hint")
_NUMBER = re.compile(r"g|,|,?\.\d[f%]|0?\d*d")
_FEWEST = 3
"""Minimum number of literal letters in a template: with fewer it would match any text."""

Text = tuple[str, str]
"""A text, and the comment (or the plural) that distinguishes its uses."""


@cache
def texts() -> dict[Text, str]:
    """Return every translatable text with the place of its first occurrence."""
    errors = {node.name for node in _tree(SOURCES / "errors.py").body if isinstance(node, ast.ClassDef)}
    found: dict[Text, str] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        if path.relative_to(SOURCES).parts[0] in _UNTRANSLATED:
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Call):
                for text in _texts_of(node, errors):
                    found.setdefault(text, f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _texts_of(call: ast.Call, errors: set[str]) -> Iterator[Text]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in ("tr", "trn") and call.args:
        comments = [_literal(one) for one in call.args[1:2]]
        for text in _sentences(call.args[0]):
            yield text, next((comment for comment in comments if comment), "")
    elif name in _WORDS or name in errors:
        places, names = _WORDS.get(name, _OF_ERRORS)
        words = [*call.args[places], *(one.value for one in call.keywords if one.arg in names)]
        yield from ((text, "") for one in words for text in _sentences(one))


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _sentences(node: ast.expr) -> Iterator[str]:
    """Yield the possible texts of an expression: a literal, a template, or both sides of a conditional."""
    if isinstance(node, ast.IfExp):
        yield from _sentences(node.body)
        yield from _sentences(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for one in node.values:
            yield from _sentences(one)
    elif isinstance(node, ast.JoinedStr):
        template = _template(node)
        if sum(letter.isalpha() for letter in template) >= _FEWEST:
            yield template
    elif any(letter.isalpha() for letter in _literal(node)):
        yield _literal(node)


def _template(node: ast.JoinedStr) -> str:
    pieces, number = [], 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            pieces.append(str(part.value))
        else:
            pieces.append(f"{{{number}{':d' if _is_number(part) else ''}}}")
            number += 1
    return "".join(pieces)


def _is_number(part: ast.expr) -> bool:
    """Return whether a value is formatted as a number: f"{count:,}", f"{seconds:.1f}"."""
    spec = part.format_spec if isinstance(part, ast.FormattedValue) else None
    written = _literal(spec.values[0]) if isinstance(spec, ast.JoinedStr) and len(spec.values) == 1 else ""
    return bool(_NUMBER.fullmatch(written))


def update() -> None:
    """Update the translation files from the sources: new texts are marked unfinished, deleted ones are removed."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "texts.py"
        lines = [f"tr({', '.join(json.dumps(part, ensure_ascii=False) for part in text)})" for text in sorted(texts())]
        listing.write_text("\n".join(lines), "utf-8")
        for code in LANGUAGES:
            target = FILES / f"workbench_{code}.ts"
            tool = Path(sys.executable).with_name("pyside6-lupdate")
            options = ["-locations", "none", "-no-obsolete", "-no-ui-lines", "-target-language", code]
            subprocess.run([tool, *options, listing, "-ts", target], check=True)


if __name__ == "__main__":
    update()
