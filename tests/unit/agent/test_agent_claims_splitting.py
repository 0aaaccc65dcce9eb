"""Splitting of answers into claims, and the sources of each."""

import pytest

from workbench.agent.claims.claim_checker import statements

ANSWER = """## Result

According to the documents:

- Sales rose to **12 million** in 2021 [1].
- Costs fell by 3 % [2][3]. Nobody at the office knows why [4].

The company was founded in 1990. It sells pumps [2]. Is that so? I hope this helps you.

| Region | Sales |
| --- | --- |
| North | 12 [1] |

```
code that says [1]
```
"""


def test_e37_headings_lead_ins_questions_asides_and_code_claim_nothing() -> None:
    assert [(one.text, one.numbers) for one in statements(ANSWER)] == [
        ("Sales rose to 12 million in 2021.", (1,)),
        ("Costs fell by 3 %.", (2, 3)),
        ("Nobody at the office knows why.", (4,)),
        ("The company was founded in 1990.", (2,)),
        ("It sells pumps.", (2,)),
        ("Region: North; Sales: 12", (1,)),
    ]


def test_the_offsets_of_a_claim_match_its_text_in_the_answer() -> None:
    first = statements(ANSWER)[0]
    assert ANSWER[first.start : first.end] == "Sales rose to **12 million** in 2021 [1]."


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("The pump is red. [1] It is also fast. [2]", [(1,), (2,)]),
        ("[1] The pump is red.", [(1,)]),
        ("Two things are known [3]:\n\n- The pump is red.\n- The pump is fast.", [(3,), (3,)]),
        ("The pump is red.\n\nIt is fast too [1].", [(), (1,)]),
        ("水泵是红色的【1】。它也很快。", [(1,), (1,)]),
        ("Red [1]", [(1,)]),
    ],
)
def test_e37_a_claim_rests_on_its_own_markers_or_on_those_of_its_paragraph(
    answer: str, numbers: list[tuple[int, ...]]
) -> None:
    assert [one.numbers for one in statements(answer)] == numbers


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not mention the name of the director.",
        "文档中没有提到主任的姓名。",
        "Let me know if you need more of this.",
        "抱歉，我不知道。",
        "",
        "[1]",
    ],
)
def test_a_sentence_that_states_nothing_about_the_subject_is_not_a_claim(answer: str) -> None:
    assert statements(answer) == []
