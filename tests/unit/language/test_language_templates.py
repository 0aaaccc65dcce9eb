"""Every template of the sources is recognised with any values, and keeps all of them."""

import re
import runpy
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.language import Catalogue, SentenceTranslator, Template

ROOT = Path(__file__).resolve().parents[3]
_PLACE = re.compile(r"\{(\d+)(:d)?\}")


@cache
def templates() -> list[str]:
    """Return all templates: read by the tests, not on import, which each process of a run does (3 s)."""
    texts = runpy.run_path(str(ROOT / "packaging" / "translations.py"))["texts"]()
    return sorted({text for text, _ in texts if _PLACE.search(text)})


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=30)
_NUMBERS = st.integers(0, 10**9).map("{:,}".format)


def _translation(template: str) -> str:
    """Return a translation that contains its template and its values, with separators that no template has."""
    numbers = dict.fromkeys(number for number, _ in _PLACE.findall(template))
    return f"⟦{len(_PLACE.sub('', template))}" + "".join(f"⟨“{{{number}}}”⟩" for number in numbers) + "⟧"


@cache
def sentences() -> SentenceTranslator:
    return SentenceTranslator(Catalogue("zh_CN", {(one, ""): _translation(one) for one in templates()}))


def _filled(template: str, values: dict[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], template)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_filled_template_is_found_or_one_with_more_words(data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(templates()))
    values = {number: data.draw(_NUMBERS if kind else _WORDS) for number, kind in _PLACE.findall(template)}
    found = sentences().translated(_filled(template, values))
    own = len(_PLACE.sub("", template))
    assert found.startswith("⟦")
    assert int(re.match(r"⟦(\d+)", found)[1]) >= own or found.count("⟦") > 1  # type: ignore[index]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_value_is_lost(data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(templates()))
    values = {number: data.draw(_NUMBERS if kind else _WORDS) for number, kind in _PLACE.findall(template)}
    found = Template(template, "").values(_filled(template, values))
    assert found is not None
    assert _filled(template, dict(zip(sorted(values, key=int), found, strict=True))) == _filled(template, values)


def test_templates_have_words_of_their_own_and_each_number_once() -> None:
    words = {one: sum(letter.isalpha() for letter in _PLACE.sub("", one)) for one in templates()}
    assert [one for one, letters in words.items() if letters < 3] == []
    places = {one: [number for number, _ in _PLACE.findall(one)] for one in templates()}
    assert [one for one, numbers in places.items() if len(numbers) != len(set(numbers))] == []
