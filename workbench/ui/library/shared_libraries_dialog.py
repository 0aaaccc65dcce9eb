"""Dialog of the shared libraries: connect, set up, leave, their knowledge bases and members."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.shared_library import SharedLibraryState, SharedMember
from workbench.ui.controls import ElidedLabel, IconButton, IconLabel, button, frame, label, restyle
from workbench.ui.dialog import Dialog
from workbench.ui.library.shared_presenter import SharedPresenter
from workbench.ui.messages import announce, error_words
from workbench.ui.theme import Theme

EXPLANATION = mark(
    "A shared library is a PostgreSQL database that several people search. Documents that you add to it are copied "
    "there, and your questions are searched there, too. Answers, sessions and notes stay in your own library."
)
_EXAMPLE = "postgresql://name@server:5432/database"
ACCESS = {
    "read": mark("May read"),
    "write": mark("May add and remove documents"),
    "manage": mark("May also manage members"),
}
"""Access of a member -> its words, in the order of the choice."""

Row = TypeVar("Row", bound=QWidget)


class _Rows(Generic[Row]):
    """Rows of a list, each with a name: a row stays as long as its name, with its focus and what is typed into it."""

    def __init__(self, layout: QVBoxLayout, make: Callable[[str], Row]) -> None:
        self._layout = layout
        self._make = make
        self._rows: dict[str, Row] = {}

    def show_names(self, names: Sequence[str]) -> list[Row]:
        """Show a row for each name, in this order, and return the rows."""
        for name in self._rows.keys() - set(names):
            gone = self._rows.pop(name)
            gone.hide()
            self._layout.removeWidget(gone)
            gone.deleteLater()
        for place, name in enumerate(names):
            if name not in self._rows:
                self._rows[name] = self._make(name)
            if self._layout.indexOf(self._rows[name]) != place:
                self._layout.insertWidget(place, self._rows[name])
        return [self._rows[name] for name in names]


class SharedLibrariesDialog(Dialog):
    """Dialog that shows the shared libraries as cards, and connects to others."""

    def __init__(self, presenter: SharedPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self.setWindowTitle(tr("Shared libraries"))
        self.resize(640, 560)
        self._column = QVBoxLayout()
        self._column.setSpacing(8)
        self._cards = _Rows(self._column, self._make_card)
        self._none = label(tr("No shared libraries"), "muted")
        self._name, self._address, self._password = QLineEdit(), QLineEdit(), QLineEdit()
        self._problem = label("", "caption", wrap=True, tone="warn")
        self._problem.hide()
        self._connect_button = button(tr("Connect"), "primary", self._on_connect)
        self._create_button = button(tr("Set up and connect"), "secondary", self._on_create)
        self._lay_out()
        for field in (self._name, self._address):
            field.textChanged.connect(self._on_typed)
        presenter.states_changed.connect(self._on_states)
        presenter.connected.connect(self._on_connected)
        presenter.base_added.connect(self._on_base_added)
        presenter.failed.connect(self._on_failed)
        presenter.members_failed.connect(self._on_members_failed)
        self._on_states(presenter.states)
        self._on_typed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._presenter.refresh()

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._column)
        column.addWidget(self._none)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("Shared libraries"))
        scroll.setWidget(inside)
        for field, name in (
            (self._name, tr("Name of the shared library")),
            (self._address, tr("Address of the shared library")),
            (self._password, tr("Password of the shared library")),
        ):
            field.setAccessibleName(name)
        self._name.setPlaceholderText(tr("A short name, such as team"))
        self._address.setPlaceholderText(_EXAMPLE)
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setPlaceholderText(tr("Stored in the system keyring (optional)"))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(tr("Name"), self._name)
        form.addRow(tr("Address"), self._address)
        form.addRow(tr("Password"), self._password)
        self._create_button.setToolTip(tr("Sets up a shared library in an empty database, then connects to it"))
        buttons = QHBoxLayout()
        buttons.addWidget(self._connect_button)
        buttons.addWidget(self._create_button)
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Shared libraries"), "heading"))
        layout.addWidget(label(tr(EXPLANATION), "muted", wrap=True))
        layout.addWidget(scroll, 1)
        layout.addWidget(label(tr("Connect to another one"), "title"))
        layout.addLayout(form)
        layout.addWidget(self._problem)
        layout.addLayout(buttons)

    @Slot(list)
    def _on_states(self, states: list[SharedLibraryState]) -> None:
        self._shown = self._cards.show_names([state.name for state in states])
        for card, state in zip(self._shown, states, strict=True):
            card.show_state(state)
        self._none.setVisible(not states)

    def _make_card(self, name: str) -> SharedLibraryCard:
        card = SharedLibraryCard(name, self._theme)
        card.disconnect_asked.connect(self._presenter.disconnect_library)
        card.reading_asked.connect(self._presenter.read_waiting)
        card.members_asked.connect(self._on_members)
        card.base_asked.connect(self._presenter.add_base)
        for asked in (card.disconnect_asked, card.reading_asked, card.base_asked):
            asked.connect(self._problem.hide)
        return card

    @Slot(str)
    def _on_base_added(self, knowledge_base: str) -> None:
        for card in self._shown:
            card.forget_typed(knowledge_base)

    @Slot()
    def _on_typed(self) -> None:
        is_complete = bool(self._name.text().strip() and self._address.text().strip())
        self._connect_button.setEnabled(is_complete)
        self._create_button.setEnabled(is_complete)

    @Slot()
    def _on_connect(self) -> None:
        self._problem.hide()
        self._presenter.connect_library(*self._entered())

    @Slot()
    def _on_create(self) -> None:
        self._problem.hide()
        self._presenter.create(*self._entered())

    def _entered(self) -> tuple[str, str, str]:
        return self._name.text().strip(), self._address.text().strip(), self._password.text()

    @Slot(str)
    def _on_connected(self, _name: str) -> None:
        for field in (self._name, self._address, self._password):
            field.clear()

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._problem.setText(error_words(error))
        self._problem.setVisible(True)
        announce(self._problem, self._problem.text())

    @Slot(str, object, str)
    def _on_members_failed(self, knowledge_base: str, error: BaseException, details: str) -> None:
        open_ones = (one.knowledge_base for one in self.findChildren(MembersDialog) if one.isVisible())
        if knowledge_base not in open_ones:  # it was closed meanwhile
            self._on_failed(error, details)

    @Slot(str)
    def _on_members(self, knowledge_base: str) -> None:
        dialog = MembersDialog(self._presenter, knowledge_base, self._theme, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class SharedLibraryCard(QWidget):
    """Card of a shared library: name, state, knowledge bases.

    Signals:
        disconnect_asked: Its name.
        reading_asked: Its name: its waiting documents are to be read by this program.
        members_asked: Full name of a knowledge base whose members are to be shown.
        base_asked: Full name of a knowledge base that is to be created.
    """

    disconnect_asked = Signal(str)
    reading_asked = Signal(str)
    members_asked = Signal(str)
    base_asked = Signal(str)

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._name = name
        self._icon = IconLabel(theme, "database", colour="accent", size=18)
        self._address = ElidedLabel()
        self._words = label("", "caption", wrap=True)
        self._bases = QVBoxLayout()
        self._bases.setSpacing(2)
        self._rows = _Rows(self._bases, self._make_base_row)
        self._new = QLineEdit()
        self._new.setPlaceholderText(tr("Name of a new knowledge base"))
        self._new.setAccessibleName(tr("Name of a new knowledge base in “{name}”", name=name))
        self._new.returnPressed.connect(self._on_base)
        self._add = button(tr("Add"), "secondary", self._on_base)
        self._read = button(tr("Read here"), "secondary", self._on_read)
        self._lay_out(theme)

    def show_state(self, state: SharedLibraryState) -> None:
        """Show the state of the library; what is typed stays, with the focus and the cursor."""
        words = state_words(state)
        self._icon.show_icon(*(("alert", "warn") if state.problem else ("database", "accent")))
        self._address.set_whole_text(state.url)
        self._words.setText(words)
        restyle(self._words, tone="warn" if state.problem else "")
        rows = self._rows.show_names([base.name for base in state.bases])
        for row, base in zip(rows, state.bases, strict=True):
            row.show_access(base.access)
        may_write = any(base.access != "read" for base in state.bases)
        self._read.setVisible(bool(state.waiting) and may_write and not state.workers and not state.problem)
        self._add.setVisible(not state.problem)
        # While the user types, the focus must not move into another field.
        self._new.setVisible(not state.problem or bool(self._new.text()) or self._new.hasFocus())
        self.setAccessibleName(f"{state.name}: {words}")

    def forget_typed(self, knowledge_base: str) -> None:
        """Clear the name of a new knowledge base if it is the one that was created."""
        if self._asked_base() == knowledge_base:
            self._new.clear()

    def _lay_out(self, theme: Theme) -> None:
        box = frame("card")
        words = QVBoxLayout()
        words.setSpacing(2)
        name = ElidedLabel()
        name.set_whole_text(self._name)
        for line, role in ((name, ""), (self._address, "caption")):
            line.setProperty("role", role)
            words.addWidget(line)
        words.addWidget(self._words)
        words.addLayout(self._bases)
        buttons = QHBoxLayout()
        buttons.addWidget(self._new, 1)
        buttons.addWidget(self._add)
        buttons.addWidget(self._read)
        words.addLayout(buttons)
        row = QHBoxLayout(box)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        leave = IconButton(theme, "close", tr("Disconnect from “{name}”", name=self._name), self._on_disconnect)
        row.addWidget(leave, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the name of a new knowledge base would also press the dialog's button “Connect”.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _make_base_row(self, name: str) -> _BaseRow:
        return _BaseRow(name, partial(self.members_asked.emit, name))

    def _asked_base(self) -> str:
        """Return the full name of the knowledge base that is typed; empty if none is."""
        typed = self._new.text().strip()
        return f"{self._name}/{typed}" if typed else ""

    @Slot()
    def _on_disconnect(self) -> None:
        self.disconnect_asked.emit(self._name)

    @Slot()
    def _on_read(self) -> None:
        self.reading_asked.emit(self._name)

    @Slot()
    def _on_base(self) -> None:
        if asked := self._asked_base():
            self.base_asked.emit(asked)


class _BaseRow(QWidget):
    """Row of a knowledge base: its name, the user's access, and a button that shows its members."""

    def __init__(self, name: str, on_members: Callable[[], object]) -> None:
        super().__init__()
        self._name = name
        self._words = label("", "caption")
        members = button(tr("Members…"), "ghost", on_members)
        members.setAccessibleName(tr("Members of “{name}”…", name=name))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words, 1)
        row.addWidget(members)

    def show_access(self, access: str) -> None:
        """Show the user's access."""
        self._words.setText(f"{self._name} · {tr(ACCESS[access])}")


def state_words(state: SharedLibraryState) -> str:
    """Return the state of a shared library in one line."""
    if state.problem:
        return translate(state.problem)
    parts = [trn("{n:,} document", "{n:,} documents", state.documents), tr("you are “{user}”", user=state.user)]
    if state.waiting and state.workers:
        parts.append(trn("{n:,} is being read", "{n:,} are being read", state.waiting))
    elif state.waiting:
        parts.append(trn("{n:,} waits for a worker", "{n:,} wait for a worker", state.waiting))
    return " · ".join(parts)


class MembersDialog(Dialog):
    """Dialog of the members of a shared knowledge base.

    Attributes:
        knowledge_base: Its full name.
    """

    def __init__(
        self, presenter: SharedPresenter, knowledge_base: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self.knowledge_base = knowledge_base
        self._theme = theme
        self.setWindowTitle(tr("Members of “{name}”", name=knowledge_base))
        self.resize(520, 360)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(6)
        self._rows = _Rows(self._lines, self._make_row)
        self._name = QLineEdit()
        self._name.setPlaceholderText(tr("Name of a user of the server"))
        self._name.setAccessibleName(tr("Name of a user of the server"))
        self._access = _access_choice("read")
        self._problem = label("", "caption", wrap=True, tone="warn")
        self._problem.hide()
        self._lay_out()
        presenter.members_changed.connect(self._on_members)
        presenter.member_put.connect(self._on_member_put)
        presenter.members_failed.connect(self._on_failed)
        presenter.load_members(knowledge_base)

    def _lay_out(self) -> None:
        adding = QHBoxLayout()
        adding.addWidget(self._name, 1)
        adding.addWidget(self._access)
        adding.addWidget(button(tr("Add"), "secondary", self._on_add))
        closing = QHBoxLayout()
        closing.addStretch(1)
        closing.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Members of “{name}”", name=self.knowledge_base), "heading"))
        layout.addWidget(
            label(tr("Nobody else can see it. The server's administrator creates users."), "muted", wrap=True)
        )
        layout.addLayout(self._lines)
        layout.addStretch(1)
        layout.addWidget(self._problem)
        layout.addLayout(adding)
        layout.addLayout(closing)

    @Slot(str, list)
    def _on_members(self, knowledge_base: str, members: list[SharedMember]) -> None:
        if knowledge_base != self.knowledge_base:
            return
        self._problem.hide()
        rows = self._rows.show_names([member.name for member in members])
        for row, member in zip(rows, members, strict=True):
            row.show_access(member.access)

    def _make_row(self, name: str) -> _MemberRow:
        return _MemberRow(name, self._theme, partial(self._put, name))

    @Slot(str, str)
    def _on_member_put(self, knowledge_base: str, name: str) -> None:
        if (knowledge_base, name) == (self.knowledge_base, self._name.text().strip()):
            self._name.clear()

    def _put(self, name: str, access: str) -> None:
        self._presenter.put_member(self.knowledge_base, name, access)

    @Slot()
    def _on_add(self) -> None:
        if self._name.text().strip():
            self._put(self._name.text().strip(), self._access.currentData())

    @Slot(str, object, str)
    def _on_failed(self, knowledge_base: str, error: BaseException, _details: str) -> None:
        if knowledge_base != self.knowledge_base:
            return
        self._problem.setText(error_words(error))
        self._problem.setVisible(True)
        announce(self._problem, self._problem.text())


class _MemberRow(QWidget):
    """Row of a member: name, access, and a button that removes the member."""

    def __init__(self, name: str, theme: Theme, on_access: Callable[[str], object]) -> None:
        super().__init__()
        self._on_access = on_access
        self._access = _access_choice("read")
        self._access.setAccessibleName(tr("Access of “{name}”", name=name))
        self._access.activated.connect(self._on_activated)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label(name, ""), 1)
        row.addWidget(self._access)
        row.addWidget(IconButton(theme, "close", tr("Remove “{name}”", name=name), partial(on_access, "none")))

    def show_access(self, access: str) -> None:
        """Show the access of the member."""
        self._access.setCurrentIndex(self._access.findData(access))

    @Slot(int)
    def _on_activated(self, _row: int) -> None:
        self._on_access(self._access.currentData())


def _access_choice(chosen: str) -> QComboBox:
    choice = QComboBox()
    choice.setAccessibleName(tr("Access"))
    for access, words in ACCESS.items():
        choice.addItem(tr(words), access)
    choice.setCurrentIndex(choice.findData(chosen))
    return choice
