"""The card about the embedding model in force: what it is, a change under way, the way back."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.model.embedder import EmbedderChangeProgress, EmbedderState
from workbench.ui.controls import button, frame, label
from workbench.ui.library.wording import time_left
from workbench.ui.settings.embedder_presenter import EmbedderPresenter

MEANWHILE = "The library is searched with the present model until the new vectors are complete."


class EmbedderCard(QWidget):
    """Shows the state of the embedder and its change."""

    def __init__(self, presenter: EmbedderPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._title = label("Embedding model in force")
        self._text = label("", "caption", wrap=True)
        self._warning = label("", "caption", wrap=True, tone="warn")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName("Progress of the change")
        self._cancel = button("Stay with the present model", "secondary", presenter.cancel)
        self._revert = button("Switch back", "secondary", presenter.revert)
        self._confirm = button("Keep it, delete the old vectors", "ghost", presenter.confirm)
        self._recut = button("Cut documents anew", "secondary", presenter.recut)
        self._lay_out()
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
        for widget in (self._title, self._text, self._bar, self._warning):
            inside.addWidget(widget)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

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
            self._title.setText(f"Going over to {progress.name}")
            self._text.setText(f"{_how_far(progress)} {MEANWHILE}")
            self._bar.setValue(round(1000 * progress.chunks_done / max(1, progress.chunks)))
        else:
            self._title.setText("Embedding model in force")
            self._text.setText(_in_force(state))
        previous = state.previous if state is not None and not changing else None
        self._revert.setVisible(previous is not None)
        if previous is not None:
            self._text.setText(f"{self._text.text()} Before it: {previous.name}, whose vectors are kept.")
            self._revert.setAccessibleName(f"Switch back to {previous.name}")
        self._confirm.setVisible(previous is not None)
        self._warning.setText("\n".join(state.warnings) if state is not None and not changing else "")
        self._warning.setVisible(bool(self._warning.text()))
        self._recut.setVisible(bool(state is not None and state.too_long and not changing))


def _how_far(progress: EmbedderChangeProgress) -> str:
    if not progress.chunks:
        return "Loading the model…"
    left = time_left(progress.seconds_left)
    words = f"{progress.chunks_done:,} of {progress.chunks:,} passages"
    return f"{words}, {left}." if left else f"{words}."


def _in_force(state: EmbedderState | None) -> str:
    if state is None or state.current is None:
        return "None yet: it is loaded with the first document."
    facts = f", {state.dim} dimensions, sees {state.max_tokens} tokens" if state.dim else ""
    return f"{state.current.name}{facts}."
