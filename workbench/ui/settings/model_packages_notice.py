"""Installation of the packages that load other models: the presenter, and the notice that offers it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import tr
from workbench.model.embedder import ModelPackages, PackageInstallProgress
from workbench.ui.bridge import Bridge
from workbench.ui.controls import button, frame, label, restyle
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.messages import error_words
from workbench.worker.job import JobHandle

_SHOWN_CHARACTERS = 110


class ModelPackagesPresenter(QObject):
    """Presenter that installs the packages; works without a window.

    Signals:
        changed: The state or the progress changed.
        failed: An error and its details.

    Attributes:
        state: Whether the packages are installed; None before refresh() has answered.
        progress: Progress of a running installation, else None.
    """

    changed = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: ModelPackages | None = None
        self.progress: PackageInstallProgress | None = None
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._job: JobHandle[None] | None = None

    @property
    def are_missing(self) -> bool:
        """True if the packages are known not to be installed."""
        return self.state is not None and not self.state.are_installed

    def set_library(self, library: operations.Library | None) -> None:
        """Record the download in the ledger of another library."""
        self.cancel()
        self._library = library

    def refresh(self) -> None:
        """Look whether the packages are installed."""
        if self._library is not None:
            self._bridge.submit(operations.model_packages(), done=self._on_state, failed=self.failed.emit)

    def install(self) -> None:
        """Install the packages, from the hosts in the state, which may be contacted even while offline mode is on."""
        if self._library is not None and self._job is None and self.state is not None:
            self.progress = PackageInstallProgress("")
            self._job = self._bridge.submit(
                operations.install_model_packages(self._library, allow_hosts=self.state.hosts),
                done=self._on_installed,
                event=self._on_progress,
                failed=self._on_failed,
                cancelled=self._on_cancelled,
            )
            self.changed.emit()

    def cancel(self) -> None:
        """Stop the installation."""
        if self._job is not None:
            self._job.cancel()

    def _on_state(self, state: ModelPackages) -> None:
        self.state = state
        self.changed.emit()

    def _on_progress(self, progress: object) -> None:
        if isinstance(progress, PackageInstallProgress):
            self.progress = progress
            self.changed.emit()

    def _on_installed(self, _value: None) -> None:
        self._job = self.progress = None
        self.state = ModelPackages(are_installed=True)
        self.changed.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._on_cancelled()
        self.failed.emit(error, details)

    def _on_cancelled(self) -> None:
        self._job = self.progress = None
        self.changed.emit()
        self.refresh()


class ModelPackagesNotice(QWidget):
    """Notice that a model needs packages that are not installed, with a button that installs them; else hidden."""

    def __init__(self, presenter: ModelPackagesPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._is_needed = False
        self._text = label("", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress of the installation"))
        self._failure = label("", "caption", wrap=True)
        self._install = button(tr("Install"), "secondary", presenter.install)
        self._cancel = button(tr("Cancel"), "ghost", presenter.cancel)
        box = frame("banner", tone="warn")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        texts = QVBoxLayout()
        texts.setSpacing(4)
        for widget in (self._text, self._bar, self._failure):
            texts.addWidget(widget)
        row.addLayout(texts, 1)
        row.addWidget(self._install)
        row.addWidget(self._cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        restyle(self._failure, tone="danger")
        presenter.changed.connect(self._show)
        presenter.failed.connect(self._on_failed)
        self._show()

    @property
    def text(self) -> str:
        """Texts of the notice; empty while it is hidden."""
        shown = (self._text.text(), self._failure.text())
        return "" if self.isHidden() else " ".join(filter(None, shown))

    def ask(self, is_needed: bool) -> None:
        """Show the notice if a model is chosen that needs the packages, and they are missing."""
        if is_needed and not self._is_needed:
            self._failure.setText("")
            self._presenter.refresh()
        self._is_needed = is_needed
        self._show()

    @Slot()
    def _show(self) -> None:
        state, progress = self._presenter.state, self._presenter.progress
        self.setVisible(self._is_needed and self._presenter.are_missing)
        can_install = progress is None and state is not None and bool(state.command)
        buttons = [(self._install, can_install), (self._cancel, progress is not None)]
        had_focus = any(one.hasFocus() for one, _ in buttons)
        # First the one to show: when the button with the focus is hidden, Qt moves the focus to another widget.
        for one, is_shown in sorted(buttons, key=lambda pair: not pair[1]):
            one.setVisible(is_shown)
            if had_focus and is_shown:
                one.setFocus()
        self._bar.setVisible(progress is not None)
        if progress is not None:
            self._failure.setText("")
            self._bar.setRange(0, 1000 if progress.total else 0)
            self._bar.setValue(round(1000 * progress.done / max(1, progress.total)))
            self._text.setText(tr("Installing… {line}", line=progress.text[:_SHOWN_CHARACTERS]))
        elif state is not None and state.command:
            self._text.setText(
                tr(
                    "This model needs sentence-transformers and torch, which are not installed: 1.1 GB, or several GB"
                    " with libraries for GPUs. They are downloaded from {hosts}.",
                    hosts=join_with_commas(state.hosts),
                )
            )
        else:
            self._text.setText(
                tr(
                    "This installation of the program loads the built-in model only. For others, install it with: "
                    "{command}",
                    command="pipx install 'knowledge-workbench[models]'",
                )
            )
        self._failure.setVisible(bool(self._failure.text()))

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._failure.setText(error_words(error))
        self._show()
