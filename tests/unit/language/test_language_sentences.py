"""Sentences of packages without a window: recognised and translated with their values."""

from collections.abc import Iterator

import pytest

from workbench.language import Catalogue, mark, speak, tr, translate, trn

_TEXTS = {
    "{0} is empty.": "{0}是空的。",
    "“{0}” cannot be read: {1}.": "无法读取“{0}”：{1}。",
    "“{0}” is damaged in “{1}”.": "“{1}”中的“{0}”已损坏。",
    "{0} cannot be {1}.": "{0}不能是 {1}。",
    "Check its permissions.": "请检查其权限。",
    "the disk is full": "磁盘已满",
    "locked by a password": "已用密码锁定",
    "page {0:d}": "第 {0} 页",
    "Pages {0:d} hold no text.": "第 {0} 页没有文字。",
    "{0:d} more": "另外 {0} 个",
    "These are missing: {0}.": "缺少：{0}。",
    "It came {0} of the {1} given.": "在给出的 {1} 个中排第 {0}。",
    "Temperature": "温度",
    "The search failed.": "搜索失败。",
    "The search of {0} failed.": "对 {0} 的搜索失败。",
}


@pytest.fixture(autouse=True)
def _chinese() -> Iterator[None]:
    speak(Catalogue("zh_CN", {(text, ""): chinese for text, chinese in _TEXTS.items()}))
    yield
    speak(None)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("“a.zip” cannot be read: the disk is full.", "无法读取“a.zip”：磁盘已满。"),
        ("“b.pdf” is damaged in “a.zip”.", "“a.zip”中的“b.pdf”已损坏。"),
        ("Pages 3, 4 and 7 hold no text.", "第 3、4、7 页没有文字。"),
        ("These are missing: “a”, “b” and 3 more.", "缺少：“a”、“b”、另外 3 个。"),
        ("It came 3rd of the 10 given.", "在给出的 10 个中排第 3。"),
        ("page 3 is empty.", "第 3 页是空的。"),
        ("Temperature cannot be 3.", "温度不能是 3。"),
        ("The search of x failed.", "对 x 的搜索失败。"),
    ],
)
def test_a_sentence_is_found_with_its_values(english: str, chinese: str) -> None:
    assert translate(english) == chinese


def test_a_message_and_its_hint_in_one_text_are_both_found() -> None:
    text = "“a.zip” cannot be read: the disk is full. Check its permissions."
    assert translate(text) == "无法读取“a.zip”：磁盘已满。请检查其权限。"


def test_a_phrase_of_ours_is_found_as_a_sentence_and_a_sentence_as_a_phrase() -> None:
    assert translate("Locked by a password.") == "已用密码锁定。"
    assert translate("These are missing: Check its permissions.") == "缺少：请检查其权限。"


def test_a_reason_behind_a_name_is_found() -> None:
    assert translate("scan.pdf: locked by a password") == "scan.pdf：已用密码锁定"


@pytest.mark.parametrize("name", ["Temperature", "the disk is full", "page 3"])
def test_quoted_text_is_a_name_and_is_not_translated(name: str) -> None:
    assert translate(f"“{name}” is damaged in “{name}”.") == f"“{name}”中的“{name}”已损坏。"


@pytest.mark.parametrize("text", ["page of contents", "page 3 of it", "Anything else.", "", "x" * 5000 + " is empty."])
def test_text_that_is_not_in_the_catalogue_stays_unchanged(text: str) -> None:
    assert translate(text) == text


def test_in_english_everything_stays() -> None:
    speak(None)
    assert translate("“a.zip” cannot be read: the disk is full.") == "“a.zip” cannot be read: the disk is full."
    assert tr("{n} of {name}", n=1, name="a") == "1 of a"
    assert trn("{n:,} page", "{n:,} pages", 1200) == "1,200 pages"
    assert mark("Open") == "Open"


def test_a_translation_by_another_thread_during_a_language_change_is_not_cached() -> None:
    class Slow(Catalogue):
        def get(self, text: str, comment: str = "") -> str | None:
            speak(Catalogue("de", {("the disk is full", ""): "der Datenträger ist voll"}))
            return super().get(text, comment)

    speak(Slow("zh_CN", {("the disk is full", ""): "磁盘已满"}))
    assert translate("the disk is full") == "磁盘已满"
    assert translate("the disk is full") == "der Datenträger ist voll"
