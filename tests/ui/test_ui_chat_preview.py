"""Preview card of a citation: its page and quote, and its position next to the citation."""

from dataclasses import replace

import pymupdf
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_runs import citations, hit

from workbench.errors import MissingFile
from workbench.model.document import PageKind
from workbench.model.hit import Citation, Scores
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.citation_preview import (
    SIZE,
    CitationPreview,
    PagePictureLoader,
    PreviewPlace,
    card_position,
    sheet_rows_around,
)
from workbench.ui.theme import Theme

SCREEN = QRect(0, 0, 1000, 600)
AT = QRect(300, 300, 16, 16)


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme(choice="light")


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pictures(qapp: object, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> PagePictureLoader:
    fake_operations(monkeypatch)
    made = PagePictureLoader(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    return made


@pytest.fixture
def card(qtbot: QtBot, theme: Theme, pictures: PagePictureLoader) -> CitationPreview:
    made = CitationPreview(theme, None, pictures)
    qtbot.addWidget(made, before_close_func=lambda _card: made.dismiss())
    return made


@pytest.fixture
def citation() -> Citation:
    (made,) = citations("A [1].", hit(1))
    return made


def png() -> bytes:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, *SIZE))
    return bytes(picture.tobytes("png"))


def picture_of(card: CitationPreview) -> QLabel:
    return next(label for label in card.findChildren(QLabel) if label.accessibleName() == "The passage on its page")


@pytest.mark.parametrize(
    ("target", "corner"),
    [
        (QRect(300, 400, 16, 16), QPoint(300, 94)),  # above
        (QRect(300, 100, 16, 16), QPoint(300, 121)),  # below
        (QRect(900, 400, 16, 16), QPoint(595, 94)),  # above, moved in from the right edge
    ],
)
def test_the_card_is_placed_next_to_its_citation_and_inside_the_screen(target: QRect, corner: QPoint) -> None:
    point, fits = card_position(target, QSize(400, 300), SCREEN)
    assert (point, fits) == (corner, True)
    assert not QRect(point, QSize(400, 300)).intersects(target)


def test_a_card_too_high_is_placed_at_the_side_and_reported_when_it_fits_nowhere() -> None:
    high = QSize(400, 500)
    for target in (QRect(300, 300, 16, 16), QRect(700, 300, 16, 16)):
        point, fits = card_position(target, high, SCREEN)
        assert fits
        assert not QRect(point, high).intersects(target)
    assert not card_position(AT, QSize(900, 500), SCREEN)[1]


def test_the_card_shows_no_scores(card: CitationPreview, citation: Citation) -> None:
    weak = replace(hit(1), scores=Scores(dense_rank=2, keyword_rank=4, relevance=0.1))
    card.offer(citation, weak, AT, at_once=True)
    assert "match" not in card.words
    assert card.words.endswith("Click to open the page.")


def test_the_picture_comes_when_it_is_drawn_and_at_once_the_next_time(
    card: CitationPreview, bridge: FakeBridge, citation: Citation
) -> None:
    card.offer(citation, hit(1), AT, at_once=True)
    assert card.isVisible()
    height = card.height()
    assert picture_of(card).pixmap().isNull()
    bridge.last("place_picture").succeed(png())
    assert picture_of(card).pixmap().size() == QSize(*SIZE)
    assert card.height() == height  # its place was reserved: nothing moves while the user reads
    card.dismiss()
    card.offer(citation, hit(1), AT, at_once=True)
    assert not picture_of(card).pixmap().isNull()
    assert len([one for one in bridge.jobs if one.name == "place_picture"]) == 1


def test_the_picture_has_marks_of_all_parts_of_the_passage_that_the_answer_uses(
    card: CitationPreview, bridge: FakeBridge, citation: Citation
) -> None:
    others = [replace(citation, start=start, end=start + 5) for start in (90, 40)]
    card.offer(citation, hit(1), AT, others=[citation, *others], at_once=True)
    drawn = bridge.last("place_picture").kwargs
    assert (drawn["passage"], drawn["others"]) == ((citation.start, citation.end), ((40, 45), (90, 95)))


def test_a_picture_that_cannot_be_had_leaves_the_quote(
    card: CitationPreview, bridge: FakeBridge, citation: Citation
) -> None:
    card.offer(citation, hit(1), AT, at_once=True)
    bridge.last("place_picture").fail(MissingFile("It is gone.", ""))
    assert not picture_of(card).isVisible()
    assert citation.quote[:20] in card.words


@pytest.mark.parametrize("changed", [{"page": None}, {"document": None}, {"page_kind": PageKind.SHEET}])
def test_no_picture_is_asked_for_of_what_has_no_page(citation: Citation, changed: dict[str, object]) -> None:
    assert PreviewPlace.of(citation, 1.0) is not None
    assert PreviewPlace.of(replace(citation, **changed), 1.0) is None


def test_only_the_last_place_wanted_is_drawn_next(pictures: PagePictureLoader, bridge: FakeBridge) -> None:
    places = [PreviewPlace(1, page, 0, 9, 1.0) for page in range(1, 5)]
    come = QSignalSpy(pictures.come)
    for place in places:
        pictures.want(place)
    for _ in range(2):
        bridge.last("place_picture").succeed(png())
    assert [come.at(number)[0] for number in range(come.count())] == [places[0], places[3]]


def test_few_pictures_are_kept(pictures: PagePictureLoader, bridge: FakeBridge) -> None:
    places = [PreviewPlace(1, page, 0, 9, 1.0) for page in range(1, 21)]
    for place in places:
        pictures.want(place)
        bridge.last("place_picture").succeed(png())
    kept = [place for place in places if isinstance(pictures.at_hand(place), QPixmap)]
    assert kept == places[-12:]


def test_the_card_shows_that_a_passage_was_edited(card: CitationPreview, citation: Citation) -> None:
    card.offer(replace(citation, edited=True), hit(1), AT, at_once=True)
    assert "edited by you" in card.words


def test_esc_closes_the_card_and_goes_no_further(qtbot: QtBot, card: CitationPreview, citation: Citation) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    card.offer(citation, hit(1), AT, at_once=True)
    qtbot.keyClick(field, Qt.Key.Key_Space)
    assert not card.isVisible()
    assert field.text() == ""
    card.offer(citation, hit(1), AT, at_once=True)
    qtbot.keyClick(field, Qt.Key.Key_A)
    assert not card.isVisible()
    assert field.text() == "a"


def test_space_on_a_chip_of_the_text_asks_for_its_card(qtbot: QtBot, theme: Theme) -> None:
    view = AnswerView(theme)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show()
    view.show_answer("Sales rose [1].", citations("Sales rose [1].", hit(1)))
    view.setFocus()
    hovered = QSignalSpy(view.citation_hovered)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert [hovered.at(number)[0] for number in range(hovered.count())] in ([], [None])
    with qtbot.waitSignal(view.citation_peeked) as peeked:
        qtbot.keyClick(view, Qt.Key.Key_Space)
    asked, place, _at_once = peeked.args
    assert asked.marker == 1
    assert view.rect().contains(view.mapFromGlobal(place.center()))


SHEET = "| Region | Sales |\n| --- | --- |\n" + "\n".join(
    f"| Place {number} | {number * 10} |" for number in range(1, 12)
)


def test_a_citation_of_a_sheet_shows_its_row_with_those_around_it(card: CitationPreview, citation: Citation) -> None:
    found = hit(1)
    found = replace(found, chunk=replace(found.chunk, text=SHEET))
    card.offer(replace(citation, page_kind=PageKind.SHEET, quote="| Place 6 | 60 |"), found, AT, at_once=True)
    (table,) = [label for label in card.findChildren(QLabel) if "<table" in label.text()]
    assert table.isVisible()
    assert [f"Place {number}<" in table.text() for number in (3, 4, 6, 8, 9)] == [False, True, True, True, False]
    assert "Region" in table.text()
    assert "Place 6 · 60" in card.words


def test_the_quoted_row_of_a_short_sheet_is_distinguished_from_the_others() -> None:
    rows = sheet_rows_around("| A | B |\n|---|---|\n| 1 | a\\|b |\n| 2 | c |", "| 2 | c |")
    assert rows == [(("A", "B"), False), (("1", "a|b"), False), (("2", "c"), True)]


def test_a_page_that_came_with_an_imported_session_is_pictured_too(
    card: CitationPreview, bridge: FakeBridge, citation: Citation
) -> None:
    card.offer(replace(citation, document=-4), None, AT, at_once=True)
    assert bridge.last("place_picture").args[0] == -4
