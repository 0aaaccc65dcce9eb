"""Card of the embedding model in use, and the presenter that changes it."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import tr, translate, trn
from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
from workbench.model.embedding_server import EmbeddingPlan, is_embedding_server
from workbench.settings import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.controls import button, frame, label
from workbench.ui.library.document_wording import time_left
from workbench.ui.network.offline_mode import is_fetched
from workbench.ui.network.offline_mode_button import is_closed
from workbench.ui.settings.embedding_choice import EmbeddingChoice
from workbench.ui.settings.embedding_server_presenter import EmbeddingServerPresenter
from workbench.ui.settings.model_fetch import FetchConsent
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.worker.job import JobHandle


class EmbedderPresenter(QObject):
    """Presenter that changes to the embedding model of the settings, and back.

    Signals:
        state_changed: An EmbedderState.
        progress_changed: An EmbedderChangeProgress, or None when no change is running.
        ended: A change finished, failed or was cancelled; the settings and the documents may have changed.
        recut_asked: Documents are to be chunked again.
        failed: An error and its details.
    """

    state_changed = Signal(object)
    progress_changed = Signal(object)
    ended = Signal()
    recut_asked = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: EmbedderState | None = None
        self.progress: EmbedderChangeProgress | None = None
        self.servers = EmbeddingServerPresenter(bridge, self)
        self.servers.answered.connect(self.ended)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._job: JobHandle[EmbedderState] | None = None
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: "operations.Library | None") -> None:
        """Show the state of another library, and resume a change that was interrupted."""
        self._library, self._job, self.state = library, None, None
        self._show_progress(None)
        self.servers.set_library(library)
        if library is not None:
            self._run(operations.change_embedder(library), self._on_continued)

    def start(self) -> None:
        """Change to the model of the settings; a running change is cancelled first."""
        if self._library is not None:
            self.cancel()
            self._run(operations.change_embedder(self._library), self._on_done)

    def cancel(self) -> None:
        """Cancel the change and keep the present model."""
        if self._job is not None:
            self._job.cancel()

    def revert(self) -> None:
        """Switch back to the previous model."""
        if self._library is not None:
            self._run(operations.revert_embedder(self._library), self._on_done)

    def confirm(self) -> None:
        """Keep the present model and delete the vectors of the previous one."""
        if self._library is not None:
            self._bridge.submit(operations.confirm_embedder(self._library), done=self._on_state, failed=self._on_failed)

    def refresh(self) -> None:
        """Load the state of the embedding model."""
        if self._library is not None:
            self._bridge.submit(operations.embedder_state(self._library), done=self._on_state, failed=self._on_failed)

    def go_on(self) -> None:
        """Embed what could not be embedded before: the model of the settings may be used now."""
        self.start()
        self.ended.emit()

    def recut(self) -> None:
        """Request that the documents with chunks too long for the model are chunked again."""
        self.recut_asked.emit()

    def _run(self, operation: Any, done: Callable[[Any], None]) -> None:
        self._job = self._bridge.submit(
            operation, done=done, failed=self._on_change_failed, cancelled=self._on_cancelled
        )

    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, EmbedderChangeProgress):
            self._show_progress(event)
        elif isinstance(event, EmbedderChanged):
            self._on_state(event.state)

    def _on_done(self, state: EmbedderState | None) -> None:
        self._end()
        if state is not None:
            self._on_state(state)
        # Also if nothing was embedded before: documents that waited for the earlier model can be embedded now.
        self.ended.emit()

    def _on_continued(self, state: EmbedderState | None) -> None:
        if state is None:
            self._end()  # no change was interrupted
        else:
            self._on_done(state)

    def _on_change_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.ended.emit()
        self.refresh()
        self._on_failed(error, details)

    def _on_cancelled(self) -> None:
        self._end()
        self.ended.emit()
        self.refresh()

    def _end(self) -> None:
        self._job = None
        self._show_progress(None)

    def _show_progress(self, progress: EmbedderChangeProgress | None) -> None:
        self.progress = progress
        self.progress_changed.emit(progress)

    def _on_state(self, state: EmbedderState) -> None:
        self.state = state
        self.state_changed.emit(state)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


class EmbedderCard(QWidget):
    """Card that shows the embedding model in use and the progress of a change."""

    def __init__(self, presenter: EmbedderPresenter, settings: SettingsPresenter | None = None) -> None:
        """Show the presenter's state, and with `settings` also the consent to fetch the model through offline mode."""
        super().__init__()
        self._presenter = presenter
        self._title = label(tr("Embedding model in use"))
        self._text = label("", "caption", wrap=True)
        self._warning = label("", "caption", wrap=True, tone="warn")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(tr("Progress of the change"))
        self._cancel = button(tr("Keep the current model"), "secondary", presenter.cancel)
        self._revert = button(tr("Switch back"), "secondary", presenter.revert)
        self._confirm = button(tr("Keep it, delete the old vectors"), "ghost", presenter.confirm)
        self._recut = button(tr("Split documents again"), "secondary", presenter.recut)
        self._choose = button(tr("Choose a model…"), "secondary", self._on_choose)
        self._choice = EmbeddingChoice(presenter.servers, settings) if settings is not None else None
        self._settings = settings
        self._requested = self._refused = self._planned = ""
        self._fetch = FetchConsent(settings.model_fetch, settings.offline_mode) if settings is not None else None
        self._lay_out()
        if self._fetch is not None:
            self._fetch.fetched.connect(self._on_fetched)
        if self._choice is not None:
            self._choice.hide()
            self._choice.chosen.connect(self._on_chosen)
            presenter.servers.planned.connect(self._on_planned)
        if settings is not None:
            settings.settings_changed.connect(self._on_settings)
            presenter.failed.connect(self._on_failed)
            self._on_settings(settings.settings)
        presenter.state_changed.connect(self._on_state)
        presenter.progress_changed.connect(self._on_progress)
        self._show()

    @property
    def text(self) -> str:
        """Text of the card."""
        return " ".join(one.text() for one in (self._title, self._text, self._warning) if one.text())

    def _lay_out(self) -> None:
        card = frame("card")
        buttons = QHBoxLayout()
        for one in (self._choose, self._cancel, self._revert, self._confirm, self._recut):
            buttons.addWidget(one)
        buttons.addStretch(1)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(6)
        for widget in (self._title, self._text, self._bar, self._warning, self._fetch):
            if widget is not None:
                inside.addWidget(widget)
        inside.addLayout(buttons)
        if self._choice is not None:
            inside.addWidget(self._choice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)
        self._choose.setVisible(self._choice is not None)  # now that it is in the card and no window of its own

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        if is_fetched(settings.embedder):
            self._requested, self._refused = settings.embedder, ""
        self._offer(settings)
        if is_embedding_server(settings.embedder) and settings.embedder != self._planned:
            self._presenter.servers.plan(settings.embedder)
        self._planned = settings.embedder

    def _offer(self, settings: Settings) -> None:
        if self._fetch is not None:
            self._fetch.ask(settings.embedder if is_fetched(settings.embedder) else self._refused, settings.model_hub)

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        # A failed change resets the setting; a model that offline mode blocked can still be fetched.
        if is_closed(error) and self._settings is not None:
            self._refused = self._requested
            self._offer(self._settings.settings)

    @Slot()
    def _on_choose(self) -> None:
        if self._choice is not None:
            if self._choice.isHidden() and self._settings is not None:
                self._choice.show_model(self._settings.settings.embedder)
            self._choice.setVisible(self._choice.isHidden())

    @Slot(object)
    def _on_planned(self, plan: EmbeddingPlan) -> None:
        # A server that was entered by its setting has to be confirmed here; the choice below asks for its own.
        if self._choice is not None and not plan.is_allowed:
            if self._choice.isHidden():
                self._choice.show_model(plan.model)
                self._choice.show()
            self._choice.ask(plan)

    @Slot(str)
    def _on_chosen(self, model: str) -> None:
        if self._choice is not None:
            # Before the button with the focus is hidden, which would move the focus out of the card.
            self._choose.setFocus()
            self._choice.hide()
        if self._settings is not None and self._settings.settings.embedder != model:
            self._settings.put("embedder", model)
        else:
            self._presenter.go_on()

    @Slot(str)
    def _on_fetched(self, name: str) -> None:
        self._refused = ""
        if self._settings is not None and self._settings.settings.embedder != name:
            self._settings.put("embedder", name)
        else:
            self._presenter.start()

    @Slot(object)
    def _on_state(self, _state: EmbedderState) -> None:
        self._show()

    @Slot(object)
    def _on_progress(self, _progress: EmbedderChangeProgress | None) -> None:
        self._show()

    def _show(self) -> None:
        state, progress = self._presenter.state, self._presenter.progress
        changing = progress is not None
        self._bar.setVisible(changing)
        self._cancel.setVisible(changing)
        if progress is not None:
            meanwhile = tr("The library is searched with the current model until the new vectors are complete.")
            self._title.setText(tr("Switching to {name}", name=progress.name))
            self._text.setText(f"{_describe_progress(progress)} {meanwhile}")
            self._bar.setValue(round(1000 * progress.chunks_done / max(1, progress.chunks)))
        else:
            self._title.setText(tr("Embedding model in use"))
            self._text.setText(_describe_state(state))
        previous = state.previous if state is not None and not changing else None
        self._revert.setVisible(previous is not None)
        if previous is not None:
            before = tr("Previously: {name}; its vectors are kept.", name=previous.name)
            self._text.setText(f"{self._text.text()} {before}")
            self._revert.setAccessibleName(tr("Switch back to {name}", name=previous.name))
        self._confirm.setVisible(previous is not None)
        self._warning.setText(
            "\n".join(translate(one) for one in state.warnings) if state is not None and not changing else ""
        )
        self._warning.setVisible(bool(self._warning.text()))
        self._recut.setVisible(bool(state is not None and state.too_long and not changing))


def _describe_progress(progress: EmbedderChangeProgress) -> str:
    if not progress.chunks:
        return tr("Loading the model…")
    left = time_left(progress.seconds_left)
    done, total = progress.chunks_done, progress.chunks
    if left:
        return trn(
            "{done:,} of {n:,} passage, {left}.", "{done:,} of {n:,} passages, {left}.", total, done=done, left=left
        )
    return trn("{done:,} of {n:,} passage.", "{done:,} of {n:,} passages.", total, done=done)


def _describe_state(state: EmbedderState | None) -> str:
    if state is None or state.current is None:
        return tr("None yet: it is loaded with the first document.")
    if not state.dim:
        return f"{state.current.name}."
    return tr(
        "{name}, {dimensions} dimensions, reads {tokens} tokens.",
        name=state.current.name,
        dimensions=state.dim,
        tokens=state.max_tokens,
    )
