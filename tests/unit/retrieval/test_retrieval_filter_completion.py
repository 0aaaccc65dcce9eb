import pytest

from workbench.retrieval.filters.text_syntax import completion

VALUES = {"tag": ("law", "tax law", "tax"), "format": ("pdf",)}


@pytest.mark.parametrize(
    ("text", "options", "result"),
    [
        ("fo", ("format:", "folder:"), "format:"),
        ("tag:law -for", ("format:",), "tag:law -format:"),
        ("tag:", ("law", '"tax law"', "tax"), "tag:law "),
        ("tag:ta", ('"tax law"', "tax"), 'tag:"tax law" '),
        ("tag:law,t", ('"tax law"', "tax"), 'tag:law,"tax law" '),
        ('tags:"TAX L', ('"tax law"',), 'tags:"tax law" '),
        ("(format!=p", ("pdf",), "(format!=pdf "),
    ],
)
def test_keys_and_values_in_use_are_offered(text: str, options: tuple[str, ...], result: str) -> None:
    offered = completion(text, len(text), VALUES)
    assert offered.options == options
    assert offered.applied(text, len(text), options[0]) == (result, len(result))


@pytest.mark.parametrize("text", ["", "tag:law ", "colour:", '"fo', "title:x", "-"])
def test_no_completion_is_offered_without_known_candidates(text: str) -> None:
    assert completion(text, len(text), VALUES).options == ()


def test_applying_a_completion_keeps_the_text_after_the_cursor() -> None:
    offered = completion("ta format:pdf", 2, VALUES)
    assert offered.applied("ta format:pdf", 2, "tag:") == ("tag: format:pdf", 4)
    assert completion("tag:la format:pdf", 6, VALUES).applied("tag:la format:pdf", 6, "law") == (
        "tag:law format:pdf",
        8,
    )
