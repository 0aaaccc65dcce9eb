"""Charts and diagrams of office documents: their words and figures."""

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.language import mark
from workbench.model.document import Finding, FindingKind
from workbench.parsing.ooxml import OfficePackage, Relation, one_line
from workbench.parsing.zip_package import Element, local_name, whole_number

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MOST_POINTS = 500
"""A chart of more is a curve: nobody reads its points as figures."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart shows.

    Attributes:
        title: Its title; empty where it has none.
        rows: The names of the series, then a row for each category; empty where it has no figures, or is a curve.
        is_curve: It has more points than are read.
    """

    title: str
    rows: list[list[str]]
    is_curve: bool = False


def curves_left_out(number: int) -> list[Finding]:
    """Return what there is to say of so many charts whose figures are not read; nothing of none."""
    if not number:
        return []
    detail = (
        mark(f"the figures of 1 chart of more than {_MOST_POINTS:,} points; add the table that it was made of")
        if number == 1
        else mark(
            f"the figures of {number:,} charts of more than {_MOST_POINTS:,} points each; add the tables that they were"
            " made of"
        )
    )
    return [Finding(FindingKind.LEFT_OUT, count=number, detail=detail)]


def chart_of(element: Element, package: OfficePackage, relations: dict[str, Relation]) -> Chart | None:
    """Return the chart that a graphic shows; None where it shows none."""
    reference = next(element.iter(f"{_CHART}chart"), None)
    relation = relations.get(reference.get(f"{_RELATION}id") or "") if reference is not None else None
    root = package.tree(relation.target) if relation is not None and relation.target else None
    return chart(root) if root is not None else None


def chart(root: Element) -> Chart:
    """Return the chart that a part holds."""
    title = next(root.iter(f"{_CHART}title"), None)
    words = _rich_text(title) if title is not None else ""
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(f"{_CHART}ser"):
        names.append(" ".join(_points(series.find(f"{_CHART}tx")).values()))
        labels = _points(_first(series, "cat", "xVal"))
        categories = {**labels, **categories}
        columns.append(_points(_first(series, "val", "yVal")))
    rows = sorted({index for column in columns for index in column})
    if not 0 < len(rows) <= _MOST_POINTS:
        return Chart(words, [], is_curve=bool(rows))
    table = [["", *names]]
    table.extend(
        [categories.get(row, str(row + 1) if categories else ""), *(column.get(row, "") for column in columns)]
        for row in rows
    )
    return Chart(words, table)


def _first(series: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := series.find(f"{_CHART}{name}")) is not None), None)


def _points(parent: Element | None) -> dict[int, str]:
    """Return the values of a reference by their number; figures without the noise of binary fractions."""
    points: dict[int, str] = {}
    for point in parent.iter(f"{_CHART}pt") if parent is not None else ():
        index = whole_number(point.get("idx"), -1)
        text = one_line(point.findtext(f"{_CHART}v") or "")
        if index >= 0 and text:
            points.setdefault(index, _figure(text))
    return points


def _figure(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.10g}" if "." in text or "e" in text.lower() else text


def _rich_text(element: Element) -> str:
    words = " ".join("".join(run.text or "" for run in paragraph.iter(f"{A}t")) for paragraph in element.iter(f"{A}p"))
    return one_line(words) or " ".join(_points(element).values())


def diagram_of(element: Element, package: OfficePackage, relations: dict[str, Relation]) -> list[str]:
    """Return the texts of the diagram ("SmartArt") that a graphic shows, in its own order."""
    reference = next(element.iter(f"{_DIAGRAM}relIds"), None)
    relation = relations.get(reference.get(f"{_RELATION}dm") or "") if reference is not None else None
    root = package.tree(relation.target) if relation is not None and relation.target else None
    texts = [] if root is None else [_rich_text(point) for point in root.iter(f"{_DIAGRAM}pt")]
    return [text for text in texts if text]


def alternatives(element: Element) -> Iterator[Element]:
    """Yield what stands for an element: of several ways to show the same, the first that is there."""
    if local_name(element) != "AlternateContent":
        yield element
        return
    chosen = next((child for child in element if local_name(child) in ("Choice", "Fallback")), None)
    yield from chosen if chosen is not None else ()
