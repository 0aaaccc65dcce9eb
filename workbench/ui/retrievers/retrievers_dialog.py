"""Dialog of custom retrievers, plug-in files and agent workspaces: lists, their texts, and review of plug-in code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate
from workbench.model.agent import ContextFile, ProblemGravity, Workspace
from workbench.model.extensions import PluginInfo, PluginState, PluginText, RetrieverInfo, RetrieverKind, RetrieverState
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog, LibraryDialog
from workbench.ui.messages import Toast
from workbench.ui.retrievers.presenter import RetrieversPresenter
from workbench.ui.theme import Theme

ABOUT = mark("A retriever finds passages for an agent instead of the library. Select it in “Agents…”.")
NO_RETRIEVERS = mark("No retrievers yet. Plug-in files, installed packages and your own programs can provide them.")
NO_WORKSPACES = mark(
    "No workspace imported. A workspace is a folder that contains agents/NAME/AGENT.md, as in Agent Gateway."
)


class RetrieversDialog(LibraryDialog):
    """Shows their state; allows and forbids plug-in files, and imports workspaces."""

    def __init__(self, presenter: RetrieversPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tr("Retrievers and plug-ins"), presenter.set_library, theme, parent)
        self._presenter = presenter
        self.resize(680, 520)
        self._review = button(tr("Review and allow…"), "primary", self._on_review)
        self._forbid = button(tr("Forbid"), "secondary", self._on_forbid)
        self._import = button(tr("Import workspace…"), "primary", self._on_import)
        self._again = button(tr("Import again"), "secondary", self._on_again)
        self._retrievers = ActionList(theme, tr("Retrievers"), tr(NO_RETRIEVERS))
        self._plugins = ActionList(theme, tr("Plug-in files"), "", self._review, self._forbid)
        self._workspaces = ActionList(theme, tr("Agents of workspaces"), tr(NO_WORKSPACES), self._import, self._again)
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName(tr("Retriever types"))
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self._retrievers, tr("Retrievers"))
        self._tabs.addTab(self._plugins, tr("Plug-in files"))
        self._tabs.addTab(self._workspaces, tr("Workspaces"))
        self._lay_out()
        self._toast = Toast(theme, self)
        self._plugins.chosen_changed.connect(self._show_buttons)
        self._workspaces.chosen_changed.connect(self._show_buttons)
        presenter.changed.connect(self._on_changed)
        presenter.review_wanted.connect(self._on_review_wanted)
        presenter.notified.connect(self._toast.show_message)
        presenter.failed.connect(self._banner.show_error)
        self._on_changed()

    def _lay_out(self) -> None:
        layout = self._column
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(self._banner)
        layout.addWidget(self._tabs, 1)
        refresh = button(tr("Look again"), "ghost", self._presenter.refresh)
        layout.addLayout(dialog_foot(refresh, button(tr("Close"), "secondary", self.accept)))

    @Slot()
    def _on_changed(self) -> None:
        presenter = self._presenter
        nothing = tr(
            "No plug-in files. Put a Python file into {folder}, then choose “Look again”.", folder=presenter.folder
        )
        self._plugins.say_nothing(nothing)
        self._retrievers.show_rows([retriever_row(one) for one in presenter.retrievers])
        self._plugins.show_rows([plugin_row(one) for one in presenter.plugins])
        self._workspaces.show_rows(workspace_rows(presenter.workspaces))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        chosen = next((one for one in self._presenter.plugins if one.name == self._plugins.chosen), None)
        self._review.setEnabled(chosen is not None and chosen.state is not PluginState.ALLOWED)
        self._forbid.setEnabled(chosen is not None and not chosen.state.needs_consent)
        self._again.setEnabled(bool(self._workspaces.chosen))

    @Slot()
    def _on_review(self) -> None:
        self._presenter.review(self._plugins.chosen)

    @Slot(object)
    def _on_review_wanted(self, seen: PluginText) -> None:
        review = ReviewDialog(seen, self)
        review.allowed.connect(self._on_allowed)
        review.open()

    @Slot(object)
    def _on_allowed(self, seen: PluginText) -> None:
        self._banner.hide()
        self._presenter.allow(seen)

    @Slot()
    def _on_forbid(self) -> None:
        self._presenter.forbid(self._plugins.chosen)

    @Slot()
    def _on_import(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Import workspace"))
        if name:
            self._presenter.import_agents(Path(name))

    @Slot()
    def _on_again(self) -> None:
        self._presenter.import_agents(Path(self._workspaces.chosen))


WARNING = mark(
    "This file runs with your permissions: it can read your files and use the network. Allow it only if "
    "you trust its author. You are asked again if the file changes."
)


class ReviewDialog(Dialog):
    """Shows the code of a plug-in file and asks whether it may run.

    Signals:
        allowed: The PluginText that was shown.
    """

    allowed = Signal(object)

    def __init__(self, seen: PluginText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seen = seen
        self.setWindowTitle(tr("Allow {name} to run?", name=seen.name))
        self.resize(720, 560)
        self._code = QPlainTextEdit(seen.text)
        self._code.setReadOnly(True)
        self._code.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._code.setAccessibleName(tr("Code of {name}", name=seen.name))
        refuse = button(tr("Not now"), "secondary", self.reject)
        refuse.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Allow {name} to run?", name=seen.name), "heading"))
        layout.addWidget(label(tr(WARNING), "muted", wrap=True))
        layout.addWidget(self._code, 1)
        layout.addLayout(dialog_foot(refuse, button(tr("Allow"), "primary", self._on_allow)))

    @Slot()
    def _on_allow(self) -> None:
        self.allowed.emit(self._seen)
        self.accept()


_KINDS = {RetrieverKind.CODE: mark("from a program"), RetrieverKind.PACKAGE: mark("from an installed package")}
_RETRIEVER_STATES = {
    RetrieverState.NOT_STARTED: mark("not used yet"),
    RetrieverState.READY: mark("ready"),
    RetrieverState.FAILED: mark("unavailable"),
    RetrieverState.NEEDS_CONSENT: mark("needs your permission"),
}
_PLUGIN_STATES = {
    PluginState.NEW: mark("not allowed"),
    PluginState.CHANGED: mark("changed since it was allowed"),
    PluginState.ALLOWED: mark("allowed"),
    PluginState.BROKEN: mark("failed"),
}


@dataclass(frozen=True, slots=True)
class RetrieverRow:
    """Row of an action list.

    Attributes:
        key: Identifier that the buttons act on; empty if there is no action.
        is_bad: True if there is a problem or if it waits for the user.
    """

    title: str
    about: str
    key: str = ""
    is_bad: bool = False


def retriever_row(retriever: RetrieverInfo) -> RetrieverRow:
    """Return the state of a retriever, with the duration of its last answer."""
    kind = _KINDS.get(retriever.kind)
    origin = tr(kind) if kind is not None else tr("from {file}", file=retriever.file)
    milliseconds = retriever.milliseconds
    took = tr("last answer {milliseconds:,.0f} ms", milliseconds=milliseconds) if milliseconds is not None else ""
    problem, note = translate(retriever.problem), translate(retriever.note)
    about = [origin, tr(_RETRIEVER_STATES[retriever.state]), took, problem, note]
    bad = retriever.state in (RetrieverState.FAILED, RetrieverState.NEEDS_CONSENT)
    return RetrieverRow(retriever.name, _join(about), is_bad=bad)


def plugin_row(plugin: PluginInfo) -> RetrieverRow:
    """Return the state of a plug-in file."""
    offers = tr("provides {retrievers}", retrievers=", ".join(plugin.offers)) if plugin.offers else ""
    about = [tr(_PLUGIN_STATES[plugin.state]), offers, translate(plugin.problem)]
    return RetrieverRow(plugin.name, _join(about), plugin.name, is_bad=plugin.state is not PluginState.ALLOWED)


def workspace_rows(workspaces: Sequence[Workspace]) -> list[RetrieverRow]:
    """Return the agents of workspaces with their context files, followed by the problems of each workspace."""
    rows: list[RetrieverRow] = []
    for workspace in workspaces:
        name = PurePath(workspace.folder).name
        for agent in workspace.agents:
            asks = tr("uses {retrievers}", retrievers=", ".join(agent.retrievers)) if agent.retrievers else ""
            files = ", ".join(_file_words(file) for file in agent.context)
            rows.append(RetrieverRow(f"{agent.label}  ({name}/{agent.id})", _join([asks, files]), workspace.folder))
        for problem in workspace.problems:
            where = ": ".join(part for part in (problem.agent, problem.path) if part)
            is_error = problem.gravity is ProblemGravity.ERROR
            rows.append(RetrieverRow(where or name, translate(problem.message), workspace.folder, is_bad=is_error))
    return rows


def _file_words(file: ContextFile) -> str:
    name, all_of_it = PurePath(file.path).name, file.characters
    if file.is_cut:
        text = mark("{name} ({n:,} characters, first {taken:,} used)")
        return tr(text, name=name, n=all_of_it, taken=len(file.text))
    return tr("{name} ({n:,} characters)", name=name, n=all_of_it)


def _join(parts: Sequence[str]) -> str:
    return " · ".join(part.rstrip(".。") for part in parts if part)


_KEY = Qt.ItemDataRole.UserRole


class ActionList(QWidget):
    """List with buttons below it, or a text if the list is empty.

    Signals:
        chosen_changed: Another row is selected, or none.
    """

    chosen_changed = Signal()

    def __init__(self, theme: Theme, name: str, nothing: str, *buttons: QPushButton) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[RetrieverRow, ...] = ()
        self._list = QListWidget()
        self._list.setAccessibleName(name)
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = label(nothing, "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 12, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self._stack, 1)
        foot = QHBoxLayout()
        for one in buttons:
            foot.addWidget(one)
        foot.addStretch(1)
        layout.addLayout(foot)
        self._list.currentRowChanged.connect(self._on_row)

    @property
    def chosen(self) -> str:
        """Key of the selected row; empty if none is selected."""
        item = self._list.currentItem()
        return str(item.data(_KEY)) if item is not None else ""

    def say_nothing(self, text: str) -> None:
        """Set the text that is shown while the list is empty."""
        self._nothing.setText(text)

    def show_rows(self, rows: Sequence[RetrieverRow]) -> None:
        """Show rows and keep the selection."""
        if tuple(rows) == self._rows and self._list.count():
            return
        self._rows = tuple(rows)
        row = max(0, self._list.currentRow())
        with QSignalBlocker(self._list):
            self._list.clear()
            for one in rows:
                icon = self._theme.icon("alert" if one.is_bad else "check-circle")
                item = QListWidgetItem(icon, f"{one.title}\n{one.about}" if one.about else one.title)
                item.setData(_KEY, one.key)
                self._list.addItem(item)
            self._list.setCurrentRow(min(row, len(rows) - 1))
        self._stack.setCurrentIndex(int(bool(rows)))
        self.chosen_changed.emit()

    @Slot(int)
    def _on_row(self, _row: int) -> None:
        self.chosen_changed.emit()
