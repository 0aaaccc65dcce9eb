"""Understanding of an embedder, measured on probe texts."""

import pytest

from workbench.retrieval.embedder_calibration import EmbedderProbe


def test_a_script_whose_sentences_all_look_alike_is_not_understood(toy_embedder):
    probe = EmbedderProbe(toy_embedder)
    assert probe.understanding("谁写了这本书？").degree == 0.0
    assert probe.understanding("Who wrote the book?").degree > 0.2


def test_a_question_in_two_scripts_is_understood_in_part(toy_embedder):
    probe = EmbedderProbe(toy_embedder)
    mixed = probe.understanding("password 密码").degree
    assert 0 < mixed < probe.understanding("password").degree


def test_an_embedder_that_knows_a_script_is_trusted_with_it(toy_embedder):
    class Reader:
        """Embedder with a separate direction for each fact of the probe, in any script."""

        def embed_query(self, text):
            return toy_embedder.embed_query(TRANSLATED.get(text, text))

        def embed_documents(self, texts):
            return toy_embedder.embed_documents([TRANSLATED.get(text, text) for text in texts])

    from workbench.retrieval.embedder_calibration import PROBES

    TRANSLATED = {
        chinese: english
        for pairs in zip(PROBES["han"], PROBES["latin"], strict=True)
        for chinese, english in zip(*pairs, strict=True)
    }
    probe = EmbedderProbe(Reader())
    assert probe.understanding("密码").degree == probe.understanding("password").degree


def test_japanese_text_is_not_classified_as_chinese(toy_embedder):
    probe = EmbedderProbe(toy_embedder)
    probe.understanding("庭園の案内書")
    assert set(probe._measured) == {"latin", "kana"}


@pytest.mark.parametrize("question", ["", "12345", "?!"])
def test_a_question_without_letters_has_the_understanding_of_latin(toy_embedder, question):
    probe = EmbedderProbe(toy_embedder)
    assert probe.understanding(question) == probe.understanding("words")


def test_an_unprobed_script_counts_as_the_least_known_one(toy_embedder):
    assert EmbedderProbe(toy_embedder).understanding("مرحبا").degree == 0.0
