"""Sentence boundaries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chunking.sentences import first_sentences, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Pi is 3.14 and e is 2.71.",
        "Open a.txt and b.tar.gz now.",
        "Fruit, e.g. Apples, i.e. Food.",
        "Dr. Smith met Mrs. Jones.",
        "The U.S. Army and the U.K. Government agreed.",
        "See Fig. 3 and No. 5 on p. 7 of vol. 2.",
        "Insert ground coffee (max. 16 g) and close the lid; call tel. 01983 873655 otherwise.",
        "Smith et al. (2004) showed it.",
        "J. K. Rowling wrote it.",
        "Always (lit. Only You) is a film.",
        "А. С. Пушкин жил на ул. Мойка.",
        "Es gilt § 5 Abs. 2 bzw. Anlage 1 inkl. Steuer, vgl. Nr. 7.",
        "La Sra. Ruiz vive en la Avda. Colón.",
        "Go to https://a.example/x.y?z=W.Q now.",
        "Apple Inc. Cupertino is large.",
        "Yahoo! is a company.",
        "“Really?” he said.",
        "It was Jan. 5 then.",
        "A line\nthat goes on.",
        "1. First item",
        "版本3.5发布了。",
        "文件a.txt在这里。",
        "3.系统要求",
        "the u.s. army, the no. of items, approx. five, e.g. apples",
        "see Section 2, subsec. three",
        "“really?” he said.",
        "It is array.[1].first and a.[b]c here.",
        "wait... and go.",
        "'.' in name and from . import auth",
    ],
)
def test_e15_these_are_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello world. How are you? Fine!", ["Hello world.", "How are you?", "Fine!"]),
        ("He lives in the U.S. The law is old.", ["He lives in the U.S.", "The law is old."]),
        ("He left at 5 p.m. She stayed.", ["He left at 5 p.m.", "She stayed."]),
        ("She said “Go.” Then she went.", ["She said “Go.”", "Then she went."]),
        ("(It ends.) Then more.", ["(It ends.)", "Then more."]),
        ("No. He did not.", ["No.", "He did not."]),
        ("The stage was lit. Then it began.", ["The stage was lit.", "Then it began."]),
        ("It has vitamin C. It is good.", ["It has vitamin C.", "It is good."]),
        ("Wait... Now go.", ["Wait...", "Now go."]),
        ("It grew. 20 people came.", ["It grew.", "20 people came."]),
        ("No stop here\n\nNext paragraph", ["No stop here", "Next paragraph"]),
        ("it was cold. nobody came, why? i left.", ["it was cold.", "nobody came, why?", "i left."]),
        ("It grew.[7][8] He left.[a]\nShe stayed.²", ["It grew.[7][8]", "He left.[a]", "She stayed.²"]),
        ("“Go.”[2–4] No![^end] Why?[note 3] So.", ["“Go.”[2–4]", "No![^end]", "Why?[note 3]", "So."]),
        ("它好。[1][2]他走了。［3］完了。", ["它好。[1][2]", "他走了。［3］", "完了。"]),
        (
            "we met in the u.s. the rate was 0.25%. it may vary",
            ["we met in the u.s.", "the rate was 0.25%.", "it may vary"],
        ),
        ("Items:\n- one\n- two\n  more", ["Items:", "- one", "- two\n  more"]),
        ("List\n1. One thing\n2. Another", ["List", "1. One thing", "2. Another"]),
        ("它好。他说：“走！”然后走了；完了？是！", ["它好。", "他说：“走！”", "然后走了；", "完了？", "是！"]),
        ("使用Python.然后完成。", ["使用Python.", "然后完成。"]),
        ("東京です。大阪です。", ["東京です。", "大阪です。"]),
        ("「終わり。」次の文。", ["「終わり。」", "次の文。"]),
        ("한국어 문장입니다. 다음 문장.", ["한국어 문장입니다.", "다음 문장."]),
        ("密码是1234。电话：110。", ["密码是1234。", "电话：110。"]),
        ("", []),
        (" \n\t\n ", []),
    ],
)
def test_e15_sentences_end_here(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from("aB1 .!?。！；\n\t”)\"'-…U\u3000"), max_size=80))
def test_e18_only_whitespace_separates_sentences(text: str) -> None:
    at = 0
    for start, end in sentence_spans(text):
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    ("text", "longest", "kept"),
    [
        ("It rose by 3.14 percent. Then it fell again.", 30, "It rose by 3.14 percent."),
        ("He met Dr. Berg of Oslo there. It was late.", 20, ""),
        ("Yes. It rose by three percent of the year before.", 40, ""),
        ("销售额上升了三个百分点。随后又下降了。", 14, "销售额上升了三个百分点。"),
    ],
)
def test_a_text_is_shortened_to_the_sentences_that_fit(text: str, longest: int, kept: str) -> None:
    assert first_sentences(text, longest) == kept
