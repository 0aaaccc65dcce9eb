"""Parts of the map without a window: views, pictures, colours, names, hit tests."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QSizeF
from ui_maps import small_map
from ui_runs import chunk, citations, hit, reference, run

from workbench.model.map import LibraryMap
from workbench.ui.map.canvas import nearest
from workbench.ui.map.colouring import DARK, GREY_DARK, GREY_LIGHT, LIGHT, colour_of, colours, shading_of, visible
from workbench.ui.map.map_overlay import labels_of, overlay_of, queries_of
from workbench.ui.map.raster import LARGEST, SMALLEST, MapPicture, Shading, dot_radius, draw_map_picture
from workbench.ui.map.viewport import LEAST, MOST, View
from workbench.ui.theme import DARK as DARK_TOKENS
from workbench.ui.theme import LIGHT as LIGHT_TOKENS
from workbench.ui.theme import Tokens

WHOLE = View.whole(400, 300)
# Linear RGB as seen with full colour vision, protanopia, deuteranopia and tritanopia (Machado et al., 2009).
SIGHTS = (
    np.eye(3),
    np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
    np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> NDArray[np.float64]:
    values = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    share = TO_XYZ @ np.clip(light, 0, 1) / WHITE
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def pixels(picture: MapPicture) -> NDArray[np.uint8]:
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 4)


def plain(map: LibraryMap) -> Shading:
    return shading_of(map, (), LIGHT_TOKENS)


@pytest.mark.parametrize(("palette", "grey"), [(LIGHT, GREY_LIGHT), (DARK, GREY_DARK)])
def test_palette_colours_are_distinguishable_with_every_type_of_colour_vision(
    palette: tuple[str, ...], grey: str
) -> None:
    for sight in SIGHTS:
        seen = [lab(sight @ linear(colour)) for colour in (*palette, grey)]
        assert min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(seen, 2)) > 17.9


@pytest.mark.parametrize("tokens", [LIGHT_TOKENS, DARK_TOKENS])
def test_every_colour_is_seen_on_the_surface(tokens: Tokens) -> None:
    assert min(contrast(colour, tokens.surface) for colour in colours(tokens)) >= 3.0
    assert colour_of(500, tokens) == colours(tokens)[-1]


def test_a_view_finds_back_to_the_map() -> None:
    view = replace(WHOLE, x=0.3, y=-0.2, scale=900.0)
    assert view.place(*view.pixel(0.25, 0.4)) == pytest.approx((0.25, 0.4))
    assert WHOLE.pixel(0.0, 1.0)[1] < WHOLE.pixel(0.0, -1.0)[1]


def test_zooming_keeps_the_same_place_under_the_pointer() -> None:
    before = WHOLE.place(310, 120)
    assert WHOLE.zoomed(3.0, 310, 120).place(310, 120) == pytest.approx(before)


def test_one_neither_loses_the_map_nor_oneself_in_it() -> None:
    assert WHOLE.zoomed(1e9, 0, 0).nearness == pytest.approx(MOST)
    assert WHOLE.zoomed(1e-9, 0, 0).nearness == pytest.approx(LEAST)
    assert WHOLE.moved(10**6, -(10**6)).x == -1.0


def test_another_window_shows_the_same_as_near() -> None:
    wider = WHOLE.zoomed(2.0, 10, 10).sized(800, 600)
    assert wider.nearness == pytest.approx(2.0)


def test_points_are_drawn_in_their_colours_at_their_positions() -> None:
    map = small_map()
    picture = pixels(draw_map_picture(map.points, plain(map), WHOLE, 1.0, 0))
    x, y = WHOLE.pixel(*map.points[:5].mean(axis=0).tolist())
    near = picture[round(y) - 9 : round(y) + 9, round(x) - 9 : round(x) + 9].reshape(-1, 4)
    blue, green, red, alpha = near[near[:, 3].argmax()].tolist()
    assert alpha > 200
    assert (red, green, blue) == pytest.approx([int(LIGHT[0][i : i + 2], 16) * alpha / 255 for i in (1, 3, 5)], abs=3)
    assert not picture[150, 200].any()


def test_a_picture_is_as_fine_as_the_screen_and_the_same_each_time() -> None:
    map = small_map()
    picture = draw_map_picture(map.points, plain(map), WHOLE, 2.0, 7)
    assert (picture.width, picture.height, picture.key) == (800, 600, 7)
    assert draw_map_picture(map.points, plain(map), WHOLE, 2.0, 7).data == picture.data


def test_selected_documents_are_highlighted_and_all_others_are_dimmed() -> None:
    map = small_map()
    picture = pixels(draw_map_picture(map.points, shading_of(map, {3}, LIGHT_TOKENS), WHOLE, 1.0, 0))
    strongest = []
    for document in (3, 4):
        x, y = WHOLE.pixel(*map.points[map.documents == document].mean(axis=0).tolist())
        strongest.append(picture[round(y) - 9 : round(y) + 9, round(x) - 9 : round(x) + 9, 3].max())
    assert strongest[0] > 200
    assert 20 < strongest[1] < 80


def test_a_grey_document_that_is_chosen_takes_the_accent() -> None:
    shading = shading_of(small_map(), {11}, LIGHT_TOKENS)
    chosen = shading.colours[shading.kinds[-1]]
    assert tuple(chosen) == tuple(int(LIGHT_TOKENS.accent[place : place + 2], 16) for place in (1, 3, 5))


def test_a_picture_of_nothing_is_empty() -> None:
    map = small_map()
    assert not any(draw_map_picture(map.points, plain(map), WHOLE.around(0.0, 0.0, 0.01), 1.0, 0).data)
    assert not any(draw_map_picture(map.points[:0], Shading(plain(map).kinds[:0], *_table(map)), WHOLE, 1.0, 0).data)


def _table(map: LibraryMap) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return plain(map).colours, plain(map).weights


def test_dots_are_small_where_there_are_many() -> None:
    assert dot_radius(500_000, 100_000) == SMALLEST
    assert SMALLEST < dot_radius(500_000, 10_000) < LARGEST
    assert dot_radius(500_000, 0) == LARGEST


def test_a_hit_test_returns_the_nearest_visible_point_within_reach() -> None:
    map = small_map()
    x, y = WHOLE.pixel(*map.points[17].tolist())
    assert nearest(map.points, None, WHOLE, x + 1, y) in range(15, 20)
    assert nearest(map.points, None, WHOLE, 200, 150) == -1
    assert nearest(map.points, visible(map, {0}), WHOLE, x, y) == -1
    assert nearest(map.points[:0], None, WHOLE, x, y) == -1


def test_map_labels_do_not_overlap_and_more_labels_appear_when_zooming_in() -> None:
    map = small_map(documents=40)

    def measure(_text: str) -> QSizeF:
        return QSizeF(70, 16)

    far = labels_of(map.regions, WHOLE, measure)
    assert 0 < len(far) < 40
    assert not any(one.box.intersects(other.box) for one, other in itertools.combinations(far, 2))
    near = labels_of(map.regions, WHOLE.around(map.regions[0].x, map.regions[0].y, 0.3), measure)
    hidden = {region.label for region in map.regions} - {label.text for label in far}
    assert hidden & {label.text for label in near}
    everywhere = [label.box for label in far]
    assert not labels_of(map.regions[:1], WHOLE, measure, everywhere)


def test_an_answer_is_drawn_with_its_question_its_hits_and_what_it_cites() -> None:
    first, second, gone = hit(1), hit(2), hit(3)
    first, second = (replace(one, chunk=replace(chunk(0), id=number)) for number, one in ((5, first), (9, second)))
    searches = (reference(first, second, query="sales"), reference(gone, query="margins"))
    found = replace(run(), references=searches, citations=citations("Sales rose [1].", first))
    map = small_map()
    overlay = overlay_of(found, map, ((0.1, 0.2), (0.3, 0.4)))
    assert [(spot.number, spot.chunk, spot.cited, spot.star) for spot in overlay.spots] == [
        (1, 5, True, 0),
        (2, 9, False, 0),
    ]
    assert (overlay.spots[0].x, overlay.spots[0].y) == pytest.approx(map.points[4].tolist())
    assert [(star.text, star.x) for star in overlay.stars] == [("sales", 0.1), ("margins", 0.3)]
    assert overlay.lost == 1
    assert overlay.words == "“sales”: 2 hits on the map, 1 cited, 1 not on the map"
    assert overlay_of(found, map).stars[0].x is None
    assert queries_of(replace(found, references=())) == (found.question,)
