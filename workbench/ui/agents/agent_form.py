"""Form that edits an agent, and the editor of each kind of field."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate
from workbench.model.agent import Agent, AgentChoices, OptionChoice, agent_of
from workbench.ui.agents.agent_fields import (
    PAGES,
    AgentField,
    FieldKind,
    FieldPage,
    pairs_of,
    rules_of,
    sections_of,
    text_of_pairs,
    text_of_sections,
)
from workbench.ui.controls import label

_OF_LIBRARY = ("profile", "knowledge_bases", "tools", "retrievers", "ask_before")


class AgentForm(QWidget):
    """Form that shows an agent and returns it with the user's changes.

    Signals:
        edited: The user changed something.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._agent = Agent("")
        self._editors: dict[str, Editor] = {}
        self._untouched: dict[str, Any] = {}
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName(tr("Sections of the agent"))
        self._tabs.setDocumentMode(True)
        for page in PAGES:
            self._tabs.addTab(self._page(page), tr(page.title))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._tabs)
        self.show_agent(self._agent)

    @property
    def shown(self) -> Agent:
        """The agent as passed to show_agent."""
        return self._agent

    def show_agent(self, agent: Agent) -> None:
        """Show an agent; the built-in one is read-only."""
        self._agent = agent
        self.fill(agent)
        self._untouched = {name: editor.value() for name, editor in self._editors.items()}
        for editor in self._editors.values():
            editor.set_changeable(not agent.is_built_in)

    def fill(self, agent: Agent) -> None:
        """Set the fields to the values of an agent."""
        for name, editor in self._editors.items():
            with QSignalBlocker(editor):
                editor.show_value(getattr(agent, name))

    def offer(self, choices: AgentChoices) -> None:
        """Set the choices of profiles, knowledge bases, tools and retrievers."""
        for name in _OF_LIBRARY:
            editor = self._editors[name]
            with QSignalBlocker(editor):
                editor.offer(getattr(choices, name))

    def agent(self) -> Agent:
        """Return the edited agent; values of untouched fields are returned unchanged."""
        changed: dict[str, Any] = {}
        for name, editor in self._editors.items():
            value = editor.value()
            if value != self._untouched[name]:
                changed[name] = value
        # Editors return choices as text; agent_of converts them to their types.
        converted = agent_of(changed)
        return replace(self._agent, **{name: getattr(converted, name) for name in changed})

    def _page(self, page: FieldPage) -> QWidget:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        for field in page.fields:
            editor = self._editors[field.name] = editor_for(field)
            editor.edited.connect(self._on_edited)
            form.addRow("" if field.kind is FieldKind.SWITCH else tr(field.title), editor)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(20, 14, 16, 14)
        layout.addLayout(form)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Show the card's background; by default a scroll area paints the window's colour.
        for surface in (scroll.viewport(), inner):
            surface.setAutoFillBackground(False)
        return scroll

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit()


_NAME = Qt.ItemDataRole.UserRole
_LINES = {FieldKind.TEXT: 3, FieldKind.RULES: 9, FieldKind.PAIRS: 3, FieldKind.SECTIONS: 6}
_READ: dict[FieldKind, Callable[[str], Any]] = {
    FieldKind.RULES: rules_of,
    FieldKind.PAIRS: pairs_of,
    FieldKind.SECTIONS: sections_of,
}
_MOST_ROWS = 7
_MOST = 10_000_000


class Editor(QWidget):
    """Editor of one field.

    Signals:
        edited: The user changed the value.
    """

    edited = Signal()

    def __init__(self, field: AgentField) -> None:
        super().__init__()
        self.field = field
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)

    def show_value(self, value: Any) -> None:
        """Show a value."""
        raise NotImplementedError

    def value(self) -> Any:
        """Return the edited value."""
        raise NotImplementedError

    def offer(self, choices: Sequence[OptionChoice]) -> None:
        """Set the choices."""

    def set_changeable(self, changeable: bool) -> None:
        """Make the value editable or read-only."""
        self.setEnabled(changeable)

    def _hold(self, control: QWidget) -> None:
        control.setAccessibleName(tr(self.field.title))
        control.setAccessibleDescription(tr(self.field.help))
        self._layout.addWidget(control)
        if self.field.help:
            self._layout.addWidget(label(tr(self.field.help), "caption", wrap=True))


class _LineEditor(Editor):
    """Editor of a short text."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._line = QLineEdit()
        self._line.textEdited.connect(self.edited)
        self._hold(self._line)

    def show_value(self, value: Any) -> None:
        self._line.setText(str(value))
        self._line.setCursorPosition(0)

    def value(self) -> str:
        return self._line.text().strip()

    def set_changeable(self, changeable: bool) -> None:
        self._line.setReadOnly(not changeable)


class _TextEditor(Editor):
    """Editor of a longer text, several rules, pairs, or sections."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._text = QPlainTextEdit()
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(_LINES[field.kind] * self._text.fontMetrics().lineSpacing() + 18)
        self._text.textChanged.connect(self.edited)
        self._hold(self._text)

    def show_value(self, value: Any) -> None:
        if self.field.kind is FieldKind.RULES:
            value = "\n\n".join(value)
        elif self.field.kind is FieldKind.PAIRS:
            value = text_of_pairs(value)
        elif self.field.kind is FieldKind.SECTIONS:
            value = text_of_sections(value)
        self._text.setPlainText(value)

    def value(self) -> Any:
        return _READ.get(self.field.kind, str.strip)(self._text.toPlainText())

    def set_changeable(self, changeable: bool) -> None:
        self._text.setReadOnly(not changeable)


class _SwitchEditor(Editor):
    """Editor of a boolean."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._box = QCheckBox(tr(field.title))
        self._box.toggled.connect(self.edited)
        self._hold(self._box)

    def show_value(self, value: Any) -> None:
        self._box.setChecked(bool(value))

    def value(self) -> bool:
        return self._box.isChecked()


class _OneOfEditor(Editor):
    """Editor of a single choice; a value that is not among the choices is kept and shown as missing."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._shown: Any = None
        self._box = QComboBox()
        self._box.activated.connect(self.edited)
        self._hold(self._box)
        self.offer([OptionChoice(str(value), tr(words)) for value, words in field.choices])

    def offer(self, choices: Sequence[OptionChoice]) -> None:
        self._box.clear()
        if self.field.nothing:
            self._box.addItem(tr(self.field.nothing), "")
        for choice in choices:
            self._box.addItem(_shown(choice), choice.name)
        self._choose()

    def show_value(self, value: Any) -> None:
        self._shown = value
        self._choose()

    def value(self) -> Any:
        chosen = str(self._box.currentData() or "")
        return self._shown if chosen == str(self._shown or "") else chosen

    def _choose(self) -> None:
        wanted = str(self._shown or "")
        if self._box.findData(wanted) < 0 and wanted:
            self._box.addItem(_missing(wanted), wanted)
        self._box.setCurrentIndex(max(0, self._box.findData(wanted)))


class _SomeOfEditor(Editor):
    """Editor of several choices, which keep the order in which they were chosen before."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._shown: tuple[str, ...] = ()
        self._choices: Sequence[OptionChoice] = ()
        self._list = QListWidget()
        self._list.setProperty("variant", "offers")
        self._list.itemChanged.connect(self.edited)
        self._none = label(tr("There are none."), "muted")
        self._layout.addWidget(self._none)
        self._hold(self._list)
        self._fill()

    def offer(self, choices: Sequence[OptionChoice]) -> None:
        self._choices = choices
        self._fill()

    def show_value(self, value: Any) -> None:
        self._shown = tuple(value)
        self._fill()

    def value(self) -> tuple[str, ...]:
        items = [self._list.item(row) for row in range(self._list.count())]
        chosen = [item.data(_NAME) for item in items if item.checkState() is Qt.CheckState.Checked]
        return tuple(sorted(chosen, key=lambda name: self._shown.index(name) if name in self._shown else len(chosen)))

    def _fill(self) -> None:
        self._list.blockSignals(True)
        self._list.clear()
        known = {choice.name for choice in self._choices}
        missing = [OptionChoice(name, _missing(name)) for name in self._shown if name not in known]
        for choice in (*self._choices, *missing):
            item = QListWidgetItem(_shown(choice))
            item.setData(_NAME, choice.name)
            item.setToolTip(translate(choice.help))
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if choice.name in self._shown else Qt.CheckState.Unchecked)
            self._list.addItem(item)
        self._list.blockSignals(False)
        count = self._list.count()
        self._list.setVisible(count > 0)
        self._none.setVisible(count == 0)
        height = self._list.sizeHintForRow(0) if count else 0
        self._list.setFixedHeight(min(count, _MOST_ROWS) * max(height, 22) + 6)


class _EachToolEditor(Editor):
    """Editor of the approval of each tool: ask, do not ask, or the common choice."""

    _WORDS = ((mark("As above"), None), (mark("Ask me"), True), (mark("Do not ask me"), False))

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._shown: dict[str, bool] = {}
        self._choices: Sequence[OptionChoice] = ()
        self._boxes: dict[str, QComboBox] = {}
        self._rows = QWidget()
        self._hold(self._rows)
        self._fill()

    def offer(self, choices: Sequence[OptionChoice]) -> None:
        self._shown = self.value()
        self._choices = choices
        self._fill()

    def show_value(self, value: Any) -> None:
        self._shown = dict(value)
        self._fill()

    def value(self) -> dict[str, bool]:
        chosen = {name: box.currentData() for name, box in self._boxes.items()}
        names = dict.fromkeys((*self._shown, *chosen))
        return {name: chosen[name] for name in names if chosen[name] is not None}

    def _fill(self) -> None:
        known = {choice.name: _shown(choice) for choice in self._choices}
        titles = known | {name: _missing(name) for name in self._shown if name not in known}
        new_rows = QWidget()
        grid = QFormLayout(new_rows)
        grid.setContentsMargins(0, 0, 0, 0)
        self._boxes = {name: self._box(title, self._shown.get(name)) for name, title in titles.items()}
        for name, title in titles.items():
            grid.addRow(title, self._boxes[name])
        self._layout.replaceWidget(self._rows, new_rows)
        self._rows.hide()
        self._rows.deleteLater()
        self._rows = new_rows

    def _box(self, title: str, chosen: bool | None) -> QComboBox:
        box = QComboBox()
        for words, value in self._WORDS:
            box.addItem(tr(words), value)
        box.setCurrentIndex([value for _, value in self._WORDS].index(chosen))
        box.setAccessibleName(f"{tr(self.field.title)}: {title}")
        box.activated.connect(self.edited)
        return box


class _NumberEditor(Editor):
    """Editor of a number, or the value of the settings."""

    def __init__(self, field: AgentField) -> None:
        super().__init__(field)
        self._box = QSpinBox()
        self._box.setRange(0, _MOST)
        self._box.setSpecialValueText(tr("Default setting"))
        self._box.setFixedWidth(200)
        self._box.valueChanged.connect(self.edited)
        self._hold(self._box)

    def show_value(self, value: Any) -> None:
        self._box.setValue(value or 0)

    def value(self) -> int | None:
        return self._box.value() or None


_MAKERS: dict[FieldKind, Callable[[AgentField], Editor]] = {
    FieldKind.LINE: _LineEditor,
    FieldKind.TEXT: _TextEditor,
    FieldKind.RULES: _TextEditor,
    FieldKind.PAIRS: _TextEditor,
    FieldKind.SECTIONS: _TextEditor,
    FieldKind.EACH_TOOL: _EachToolEditor,
    FieldKind.SWITCH: _SwitchEditor,
    FieldKind.ONE_OF: _OneOfEditor,
    FieldKind.SOME_OF: _SomeOfEditor,
    FieldKind.NUMBER: _NumberEditor,
}


def _shown(choice: OptionChoice) -> str:
    # If the title is the name itself, a user gave it, and it is not translated.
    return choice.name if choice.title in ("", choice.name) else translate(choice.title)


def _missing(name: str) -> str:
    return tr("{name} (missing)", name=name)


def editor_for(field: AgentField) -> Editor:
    """Return the editor of a field."""
    return _MAKERS[field.kind](field)
