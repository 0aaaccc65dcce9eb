"""The card about the embedding model in force: what it is, a change under way, the way back."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.language import said, tr, trn
from workbench.model.embedder import EmbedderChangeProgress, EmbedderState
from workbench.settings import Settings
from workbench.ui.controls import button, frame, label
from workbench.ui.library.wording import time_left
from workbench.ui.network.consent import is_fetched
from workbench.ui.network.switching import is_closed
from workbench.ui.settings.embedder_presenter import EmbedderPresenter
from workbench.ui.settings.model_fetch import FetchConsent
from workbench.ui.settings.presenter import SettingsPresenter


class EmbedderCard(QWidget):
    """Shows the state of the embedder and its change."""

    def __init__(self, presenter: EmbedderPresenter, settings: SettingsPresenter | None = None) -> None:
        """Show the presenter's state; with the settings also what their choice means for the air gap."""
        super().__init__()
        self._presenter = presenter
        self._title = label(tr("Embedding model in force"))
        self._text = label("", "caption", wrap=True)
        self._warning = label("", "caption", wrap=True, tone="warn")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(tr("Progress of the change"))
        self._cancel = button(tr("Stay with the present model"), "secondary", presenter.cancel)
        self._revert = button(tr("Switch back"), "secondary", presenter.revert)
        self._confirm = button(tr("Keep it, delete the old vectors"), "ghost", presenter.confirm)
        self._recut = button(tr("Cut documents anew"), "secondary", presenter.recut)
        self._settings = settings
        self._asked = self._refused = ""
        self._fetch = FetchConsent(settings.model_fetch, settings.air_gap) if settings is not None else None
        self._lay_out()
        if self._fetch is not None:
            self._fetch.fetched.connect(self._on_fetched)
        if settings is not None:
            settings.settings_changed.connect(self._on_settings)
            presenter.failed.connect(self._on_failed)
            self._on_settings(settings.settings)
        presenter.state_changed.connect(self._on_state)
        presenter.progress_changed.connect(self._on_progress)
        self._show()

    @property
    def text(self) -> str:
        """What it says."""
        return " ".join(one.text() for one in (self._title, self._text, self._warning) if one.text())

    def _lay_out(self) -> None:
        card = frame("card")
        buttons = QHBoxLayout()
        for one in (self._cancel, self._revert, self._confirm, self._recut):
            buttons.addWidget(one)
        buttons.addStretch(1)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(6)
        for widget in (self._title, self._text, self._bar, self._warning, self._fetch):
            if widget is not None:
                inside.addWidget(widget)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        if is_fetched(settings.embedder):
            self._asked, self._refused = settings.embedder, ""
        self._offer(settings)

    def _offer(self, settings: Settings) -> None:
        if self._fetch is not None:
            self._fetch.ask(settings.embedder if is_fetched(settings.embedder) else self._refused, settings.model_hub)

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        # A change that fails puts the setting back: what the air gap was in the way of can still be fetched.
        if is_closed(error) and self._settings is not None:
            self._refused = self._asked
            self._offer(self._settings.settings)

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
            meanwhile = tr("The library is searched with the present model until the new vectors are complete.")
            self._title.setText(tr("Going over to {name}", name=progress.name))
            self._text.setText(f"{_how_far(progress)} {meanwhile}")
            self._bar.setValue(round(1000 * progress.chunks_done / max(1, progress.chunks)))
        else:
            self._title.setText(tr("Embedding model in force"))
            self._text.setText(_in_force(state))
        previous = state.previous if state is not None and not changing else None
        self._revert.setVisible(previous is not None)
        if previous is not None:
            before = tr("Before it: {name}, whose vectors are kept.", name=previous.name)
            self._text.setText(f"{self._text.text()} {before}")
            self._revert.setAccessibleName(tr("Switch back to {name}", name=previous.name))
        self._confirm.setVisible(previous is not None)
        self._warning.setText(
            "\n".join(said(one) for one in state.warnings) if state is not None and not changing else ""
        )
        self._warning.setVisible(bool(self._warning.text()))
        self._recut.setVisible(bool(state is not None and state.too_long and not changing))


def _how_far(progress: EmbedderChangeProgress) -> str:
    if not progress.chunks:
        return tr("Loading the model…")
    left = time_left(progress.seconds_left)
    done, total = progress.chunks_done, progress.chunks
    if left:
        return trn(
            "{done:,} of {n:,} passage, {left}.", "{done:,} of {n:,} passages, {left}.", total, done=done, left=left
        )
    return trn("{done:,} of {n:,} passage.", "{done:,} of {n:,} passages.", total, done=done)


def _in_force(state: EmbedderState | None) -> str:
    if state is None or state.current is None:
        return tr("None yet: it is loaded with the first document.")
    if not state.dim:
        return f"{state.current.name}."
    return tr(
        "{name}, {dimensions} dimensions, sees {tokens} tokens.",
        name=state.current.name,
        dimensions=state.dim,
        tokens=state.max_tokens,
    )
