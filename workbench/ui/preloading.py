"""Thread that imports modules which the window needs soon after its first paint.

On the main thread the same imports kept the window from drawing, for 115 ms at a time. A thread releases the
interpreter every 5 ms.
"""

import threading
from contextlib import suppress
from importlib import import_module

# Modules imported by the steps after the first paint (AppController), in their order.
MODULES = (
    "workbench.ui.library.catalogue_dialogs",
    "workbench.ui.library.document_delegate",
    "workbench.ui.library.other_sources",
    "workbench.ui.library.import_dialogs",
    "workbench.ui.library.row_actions",
    "workbench.ui.sessions.session_list",
    "workbench.ui.chat.answer_components",
    "workbench.ui.chat.plan_toggle",
    "workbench.ui.inspector.evidence_view",
    "workbench.ui.wiring",
    "workbench.ui.dialog_manager",
    "workbench.ui.pane_docks",
    "workbench.ui.library.linked_folders_dialog",
    "workbench.ui.desktop_notifications",
    "workbench.ui.pane_state",
    "workbench.ui.settings.embedder_card",
    "workbench.ui.settings.presenter",
    "workbench.ui.single_instance",
    "PySide6.QtNetwork",
    "workbench.worker.worker",
)


class Preloader:
    """Thread that imports modules before they are needed."""

    def __init__(self) -> None:
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="preloading")

    def start(self) -> None:
        """Start importing."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current module."""
        self._stopped = True

    @property
    def is_under_way(self) -> bool:
        """True while modules are being imported."""
        return self._thread.is_alive()

    def _run(self) -> None:
        for name in MODULES:
            if self._stopped:
                return
            # Code that needs the module raises the same error on the main thread, where it is shown.
            with suppress(Exception):
                import_module(name)
