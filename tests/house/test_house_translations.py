"""Every visible text is translated completely into every language, and translated when it is shown, not earlier."""

import ast
import re
import runpy
from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree

import pytest
from source_trees import PACKAGE, module_name, modules_with, tree_of

ROOT = PACKAGE.parent
_TOOL = runpy.run_path(str(ROOT / "packaging" / "translations.py"))
Text = tuple[str, str]

SAYING = ("tr", "trn", "translate")
_PLACE = re.compile(r"\{(\w+)[^}]*\}")


@cache
def _texts() -> dict[Text, str]:
    found: dict[Text, str] = _TOOL["texts"]()
    return found


@cache
def _translations(code: str) -> dict[Text, str]:
    """Return the translations in the file of a language; empty for unfinished ones."""
    found = {}
    for message in ElementTree.parse(ROOT / f"resources/translations/workbench_{code}.ts").iter("message"):
        translation = message.find("translation")
        assert translation is not None
        finished = translation.get("type") is None
        key = (message.findtext("source", ""), message.findtext("comment", ""))
        found[key] = (translation.text or "") if finished else ""
    return found


@pytest.mark.parametrize("code", _TOOL["LANGUAGES"])
def test_every_text_is_translated(code: str) -> None:
    translated = _translations(code)
    assert [f"{place}: {text}" for text, place in _texts().items() if not translated.get(text)] == []


@pytest.mark.parametrize("code", _TOOL["LANGUAGES"])
def test_translation_files_contain_no_obsolete_texts(code: str) -> None:
    assert sorted(_translations(code).keys() - _texts().keys()) == []


@pytest.mark.parametrize("code", _TOOL["LANGUAGES"])
def test_a_translation_has_the_values_of_its_text(code: str) -> None:
    both = _translations(code).items()
    assert [text for (text, _), said in both if said and set(_PLACE.findall(text)) != set(_PLACE.findall(said))] == []


def _name(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _pieced_together(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where the argument of tr or trn cannot be in a translation file: f-strings and sums."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in ("tr", "trn"):
            texts = node.args[:1] if _name(node) == "tr" else node.args[:2]
            if any(isinstance(one, (ast.JoinedStr, ast.BinOp)) or _name(one) == "format" for one in texts):
                yield node.lineno


def _said_too_early(node: ast.AST) -> Iterator[int]:
    """Yield the lines where a text is translated while its module is imported, before the language can change."""
    inside: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        inside = [*(one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None)]
        inside += getattr(node, "decorator_list", [])
    if _name(node) in SAYING:
        yield node.lineno  # type: ignore[attr-defined]
    for one in inside:
        yield from _said_too_early(one)


@cache
def _trees() -> dict[str, ast.Module]:
    return {module_name(path): tree_of(path) for path in modules_with(*SAYING)}


def test_every_translatable_text_is_one_complete_literal() -> None:
    assert {path: lines for path, tree in _trees().items() if (lines := list(_pieced_together(tree)))} == {}


def test_no_text_is_translated_before_the_language_is_known() -> None:
    assert {path: lines for path, tree in _trees().items() if (lines := list(_said_too_early(tree)))} == {}


@pytest.mark.parametrize("source", ['tr(f"{a} b")', 'tr("a " + b)', 'tr("a {}".format(b))', 'trn("a", f"{b}", 2)'])
def test_a_text_in_pieces_would_be_noticed(source: str) -> None:
    assert list(_pieced_together(ast.parse(source))) == [1]


@pytest.mark.parametrize(
    "source", ['A = tr("a")', 'class A:\n b = trn("a", "b", 1)', 'def f(a=translate("a")): ...', 'A = {"a": [tr("a")]}']
)
def test_a_text_translated_too_early_at_import_time_is_detected(source: str) -> None:
    assert len(list(_said_too_early(ast.parse(source)))) == 1


@pytest.mark.parametrize("source", ['def f():\n return tr("a")', 'f = lambda: tr("a")', 'A = mark("a")'])
def test_a_text_translated_in_time_is_accepted(source: str) -> None:
    assert list(_said_too_early(ast.parse(source))) == []
