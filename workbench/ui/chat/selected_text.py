"""What is selected in an answer -> text: "[3]" for the picture of a chip, tabs between cells, code in one piece."""

from PySide6.QtGui import QTextBlock, QTextCursor, QTextTable

from workbench.ui.chat.chips import PICTURE


def selected_text(cursor: QTextCursor) -> str:
    """Return the text of a selection."""
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    document = cursor.document()
    block = document.findBlock(start)
    text, before = "", None
    while block.isValid() and block.position() <= end:
        if not _is_joint(block):
            text += ("" if before is None else _between(before, block)) + _said(block, start, end)
            before = block
        block = block.next()
    return text


def _said(block: QTextBlock, start: int, end: int) -> str:
    """Return what of a block lies between two places."""
    said, place = "", block.begin()
    while not place.atEnd():
        fragment = place.fragment()
        first = fragment.position()
        encoded = fragment.text().encode("utf-16-le")
        inside = encoded[2 * max(0, start - first) : 2 * max(0, end - first)].decode("utf-16-le")
        image = fragment.charFormat().toImageFormat()
        scheme, _, number = image.name().partition(":")
        if image.isValid():
            inside = inside.replace("\ufffc", f"[{number}]" if scheme == PICTURE else "")
        said += inside
        place += 1
    return said.replace("\u2028", "\n").replace("\u00a0", " ")


def _between(before: QTextBlock, block: QTextBlock) -> str:
    """Return what separates two blocks: a tab where they are cells of one row."""
    table, other = _table(before), _table(block)
    if table is None or other is None or table.firstPosition() != other.firstPosition():
        return "\n"
    left, right = table.cellAt(before.position()), table.cellAt(block.position())
    return "\t" if left.row() == right.row() and left.column() != right.column() else "\n"


def _table(block: QTextBlock) -> QTextTable | None:
    return QTextCursor(block).currentTable()


def _is_joint(block: QTextBlock) -> bool:
    """Tell whether a block is the empty one that Qt keeps before and after every table."""
    if block.text() or _table(block) is not None:
        return False
    before, after = block.previous(), block.next()
    is_after = before.isValid() and _table(before) is not None
    return is_after or (after.isValid() and _table(after) is not None)
