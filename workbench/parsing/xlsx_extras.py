"""What lies over the cells of a sheet: comments, boxes of text, charts, pictures."""

from workbench.parsing.drawings import A, Chart, chart
from workbench.parsing.ooxml import OfficePackage, one_line
from workbench.parsing.sheet_regions import Sheet
from workbench.parsing.zip_package import Element, local_name, whole_number

_COPY = "[Threaded comment]"
"""So begins what Excel writes for programs that know no threads."""


def read_extras(package: OfficePackage, part: str, sheet: Sheet) -> int:
    """Add comments, boxes and titles of charts to a sheet; return how many pictures there are.

    Where a sheet is nothing but a chart, its figures become the sheet's cells.
    """
    relations = package.relations(part).values()
    threads = [package.tree(relation.target) for relation in relations if relation.kind == "threadedComment"]
    persons = _persons(package)
    for root in threads:
        _add_thread(sheet, root, persons)
    for relation in relations:
        if relation.kind == "comments" and relation.target:
            _add_comments(sheet, package.tree(relation.target))
    return sum(_add_drawing(package, relation.target, sheet) for relation in relations if relation.kind == "drawing")


def _add_comments(sheet: Sheet, root: Element | None) -> None:
    elements = list(root.iter()) if root is not None else []
    authors = [one_line(entry.text or "") for entry in elements if local_name(entry) == "author"]
    for entry in elements:
        if local_name(entry) != "comment":
            continue
        text = one_line("".join(child.text or "" for child in entry.iter() if local_name(child) == "t"))
        if text.startswith(_COPY):
            continue
        number = whole_number(entry.get("authorId"), len(authors))
        author = authors[number] if number < len(authors) else ""
        # Excel writes the author's name into the comment as well.
        _add_note(sheet, entry.get("ref") or "", author, text.removeprefix(f"{author}:").strip() if author else text)


def _add_thread(sheet: Sheet, root: Element | None, persons: dict[str, str]) -> None:
    for entry in root if root is not None else ():
        text = one_line("".join(child.text or "" for child in entry if local_name(child) == "text"))
        _add_note(sheet, entry.get("ref") or "", persons.get(entry.get("personId") or "", ""), text)


def _add_note(sheet: Sheet, cell: str, author: str, text: str) -> None:
    if text:
        sheet.notes.append(f"{', '.join(part for part in (cell, author) if part) or '-'}: {text}")


def _persons(package: OfficePackage) -> dict[str, str]:
    """Return the names of those who took part in threads of comments."""
    names: dict[str, str] = {}
    for part in package.names:
        if part.startswith("xl/persons/"):
            root = package.tree(part)
            for entry in root if root is not None else ():
                names[entry.get("id") or ""] = one_line(entry.get("displayName") or "")
    return names


def _add_drawing(package: OfficePackage, part: str, sheet: Sheet) -> int:
    root = package.tree(part)
    if root is None:
        return 0
    for shape in root.iter():
        if local_name(shape) == "txBody":
            text = one_line(" ".join("".join(t.text or "" for t in p.iter(f"{A}t")) for p in shape.iter(f"{A}p")))
            if text:
                sheet.notes.append(text)
    for relation in package.relations(part).values():
        if relation.kind == "chart" and relation.target:
            figures = package.tree(relation.target)
            shown = chart(figures) if figures is not None else Chart("", [])
            if not sheet.rows:
                lines = [[shown.title], *shown.rows] if shown.title else shown.rows
                sheet.rows = {row: {c: text for c, text in enumerate(line) if text} for row, line in enumerate(lines)}
                sheet.curves += shown.is_curve
            elif shown.title:
                sheet.notes.append(shown.title)
    return sum(1 for entry in root.iter() if local_name(entry) == "blip")
