"""Dialog of the shared libraries: connect, set up, leave, their knowledge bases and members."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.shared_library import SharedBase, SharedLibraryState, SharedMember
from workbench.ui.controls import ElidedLabel, IconButton, IconLabel, button, empty, frame, label
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


class SharedLibrariesDialog(Dialog):
    """Dialog that shows the shared libraries as cards, and connects to others."""

    def __init__(self, presenter: SharedPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self.setWindowTitle(tr("Shared libraries"))
        self.resize(640, 560)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
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
        presenter.failed.connect(self._on_failed)
        self._on_states(presenter.states)
        self._on_typed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._presenter.refresh()

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._cards)
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
        empty(self._cards)
        for state in states:
            card = SharedLibraryCard(state, self._theme)
            card.disconnect_asked.connect(self._presenter.disconnect_library)
            card.reading_asked.connect(self._presenter.read_waiting)
            card.members_asked.connect(self._on_members)
            card.base_asked.connect(self._presenter.add_base)
            for asked in (card.disconnect_asked, card.reading_asked, card.base_asked):
                asked.connect(self._problem.hide)
            self._cards.addWidget(card)
        if not states:
            self._cards.addWidget(label(tr("No shared libraries"), "muted"))

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

    def __init__(self, state: SharedLibraryState, theme: Theme) -> None:
        super().__init__()
        self._state = state
        box = frame("card")
        words = QVBoxLayout()
        words.setSpacing(2)
        for text, role in ((state.name, ""), (state.url, "caption")):
            line = ElidedLabel()
            line.setProperty("role", role)
            line.set_whole_text(text)
            words.addWidget(line)
        words.addWidget(label(state_words(state), "caption", wrap=True, tone="warn" if state.problem else ""))
        for base in state.bases:
            words.addLayout(self._make_base_row(base))
        row = QHBoxLayout(box)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        icon, colour = ("alert", "warn") if state.problem else ("database", "accent")
        row.addWidget(IconLabel(theme, icon, colour=colour, size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        leave = IconButton(theme, "close", tr("Disconnect from “{name}”", name=state.name), self._on_disconnect)
        row.addWidget(leave, 0, Qt.AlignmentFlag.AlignTop)
        self._new = QLineEdit()
        self._new.setPlaceholderText(tr("Name of a new knowledge base"))
        self._new.setAccessibleName(tr("Name of a new knowledge base in “{name}”", name=state.name))
        self._new.returnPressed.connect(self._on_base)
        if not state.problem:
            words.addLayout(self._make_buttons())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        self.setAccessibleName(f"{state.name}: {state_words(state)}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the name of a new knowledge base would also press the dialog's button “Connect”.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _make_base_row(self, base: SharedBase) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(label(f"{base.name} · {tr(ACCESS[base.access])}", "caption"), 1)
        members = button(tr("Members…"), "ghost", partial(self.members_asked.emit, base.name))
        members.setAccessibleName(tr("Members of “{name}”…", name=base.name))
        row.addWidget(members)
        return row

    def _make_buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self._new, 1)
        row.addWidget(button(tr("Add"), "secondary", self._on_base))
        may_write = any(base.access != "read" for base in self._state.bases)
        if self._state.waiting and may_write and not self._state.workers:
            row.addWidget(button(tr("Read here"), "secondary", self._on_read))
        return row

    @Slot()
    def _on_disconnect(self) -> None:
        self.disconnect_asked.emit(self._state.name)

    @Slot()
    def _on_read(self) -> None:
        self.reading_asked.emit(self._state.name)

    @Slot()
    def _on_base(self) -> None:
        if self._new.text().strip():
            self.base_asked.emit(f"{self._state.name}/{self._new.text().strip()}")


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
    """Dialog of the members of a shared knowledge base."""

    def __init__(
        self, presenter: SharedPresenter, knowledge_base: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._base = knowledge_base
        self._theme = theme
        self.setWindowTitle(tr("Members of “{name}”", name=knowledge_base))
        self.resize(520, 360)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(6)
        self._name = QLineEdit()
        self._name.setPlaceholderText(tr("Name of a user of the server"))
        self._name.setAccessibleName(tr("Name of a user of the server"))
        self._access = _access_choice("read")
        self._problem = label("", "caption", wrap=True, tone="warn")
        self._problem.hide()
        self._lay_out()
        presenter.members_changed.connect(self._on_members)
        presenter.failed.connect(self._on_failed)
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
        layout.addWidget(label(tr("Members of “{name}”", name=self._base), "heading"))
        layout.addWidget(
            label(
                tr("Everybody else sees nothing of it. The server's administrator creates users."), "muted", wrap=True
            )
        )
        layout.addLayout(self._rows)
        layout.addStretch(1)
        layout.addWidget(self._problem)
        layout.addLayout(adding)
        layout.addLayout(closing)

    @Slot(str, list)
    def _on_members(self, knowledge_base: str, members: list[SharedMember]) -> None:
        if knowledge_base != self._base:
            return
        self._problem.hide()
        self._name.clear()
        empty(self._rows)
        for member in members:
            line = QWidget()  # empty() removes widgets, not those in layouts
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            row.addWidget(label(member.name, ""), 1)
            access = _access_choice(member.access)
            access.setAccessibleName(tr("Access of “{name}”", name=member.name))
            access.activated.connect(partial(self._on_access, member.name, access))
            row.addWidget(access)
            remove = IconButton(
                self._theme, "close", tr("Remove “{name}”", name=member.name), partial(self._put, member.name, "none")
            )
            row.addWidget(remove)
            self._rows.addWidget(line)

    def _on_access(self, name: str, access: QComboBox, _row: int) -> None:
        self._put(name, access.currentData())

    def _put(self, name: str, access: str) -> None:
        self._presenter.put_member(self._base, name, access)

    @Slot()
    def _on_add(self) -> None:
        if self._name.text().strip():
            self._put(self._name.text().strip(), self._access.currentData())

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._problem.setText(error_words(error))
        self._problem.setVisible(True)
        announce(self._problem, self._problem.text())


def _access_choice(chosen: str) -> QComboBox:
    choice = QComboBox()
    choice.setAccessibleName(tr("Access"))
    for access, words in ACCESS.items():
        choice.addItem(tr(words), access)
    choice.setCurrentIndex(choice.findData(chosen))
    return choice
