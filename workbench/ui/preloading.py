"""Imports of the modules that the window needs soon after its first paint.

On the main thread at once they kept the window from drawing, for 115 ms at a time. A thread, which releases the
interpreter every 5 ms, imports those without Qt: three quarters of the time. The others are imported one after the
other on the main thread, with events between them: PySide creates its types when they are first imported, which is not
safe beside an event loop that uses them. When the thread imported them too, one of many hundred starts crashed.
"""

import threading
from contextlib import suppress
from importlib import import_module

MODULES_WITHOUT_QT = (
    "workbench.model.run",
    "workbench.model.agent",
    "workbench.model.plan_state",
    "workbench.model.evaluation",
    "workbench.retrieval.markdown_stripping",
    "asyncio",
    "workbench.agent.tool_runner",
    "workbench.agent.markers",
    "workbench.agent.planning.plan_format",
    "workbench.export.answer_pieces",
    "workbench.export.formulas",
    "workbench.model.text_diff",
    "workbench.model.explanation",
    "workbench.retrieval.filters.mentions",
    "workbench.model.integrity_report",
    "workbench.export.exhaustive_report",
    "workbench.model.custom_metadata",
    "workbench.model.vector_store",
    "workbench.model.extensions",
    "workbench.worker.worker",
)
"""Imported by the thread, in the order in which the window's modules need them."""

WINDOW_MODULES = (
    "workbench.ui.library.catalogue_dialogs",
    "workbench.ui.library.document_delegate",
    "workbench.ui.library.other_sources",
    "workbench.ui.library.import_dialogs",
    "workbench.ui.library.row_actions",
    "workbench.ui.library.shared_presenter",
    "workbench.ui.chat.answer_document",
    "workbench.ui.chat.presenter",
    "workbench.ui.chat.answer_view",
    "workbench.ui.chat.source_list",
    "workbench.ui.chat.steps_panel",
    "workbench.ui.chat.run_cards",
    "workbench.ui.chat.answer_components",
    "workbench.ui.chat.plan_option",
    "workbench.ui.inspector.edits_dialog",
    "workbench.ui.inspector.page_outlines",
    "workbench.ui.why.tab",
    "workbench.ui.inspector.passage_view",
    "workbench.ui.inspector.evidence_view",
    "workbench.ui.chat.mention_completion",
    "workbench.ui.soundness.integrity_controller",
    "workbench.ui.wiring",
    "workbench.ui.dialog_manager",
    "workbench.ui.pane_docks",
    "workbench.ui.library.linked_folders_dialog",
    "workbench.ui.desktop_notifications",
    "workbench.ui.settings.presenter",
    "workbench.ui.settings.embedder_card",
    "workbench.ui.single_instance",
    "PySide6.QtNetwork",
)
"""Imported on the main thread by the steps after the first paint (AppController), in their order."""


class Preloader:
    """Importer of modules before they are needed: a thread, and steps on the main thread."""

    def __init__(self) -> None:
        self._stopped = False
        self._thread = threading.Thread(target=self._import_modules_without_qt, name="preloading")
        self._left = list(WINDOW_MODULES)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current module."""
        self._stopped = True
        self._left.clear()

    @property
    def is_under_way(self) -> bool:
        """True while the thread imports modules."""
        return self._thread.is_alive()

    def import_next(self) -> bool:
        """Import the next module of the window, on the calling thread; return False if none is left."""
        if not self._left:
            return False
        _import(self._left.pop(0))
        return True

    def _import_modules_without_qt(self) -> None:
        for name in MODULES_WITHOUT_QT:
            if self._stopped:
                return
            _import(name)


def _import(name: str) -> None:
    # Code that needs the module raises the same error on the main thread, where it is shown.
    with suppress(Exception):
        import_module(name)
