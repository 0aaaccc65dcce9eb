"""The window, and the only room that imports PySide6 (besides app.py): widgets in, operations out, events back.

bridge.py                 The one crossing between the worker and the window: one Qt signal, payload always a frozen
                          dataclass
theme.py                  The design system: colours, type scale, spacing, icons and the application's style sheet,
                          light and dark
controls.py               Small makers of dressed controls, so that every pane writes labels and buttons the same way
app_controller.py         The window alive: opens the library through the worker, gives it to the panes, and closes it
                          at the end
wiring.py                 What one pane says, told to the others
dialog_manager.py         Creates and shows the dialogs of the window on demand; the choice of the user and the sheet
                          of keyboard shortcuts
lazy_operations.py        The operations, imported when the first one is named: 0.3 s of imports that the first paint
                          need not wait for
preloading.py             Modules that the window needs soon after its first paint, imported on a thread while the
                          window can be used
main_window.py            Main window: docks, menus, tool bar, status strip, and the page shown when the library
                          cannot be opened
dock.py                   Dock with a quiet title bar, and the lazy dock whose content is created when it is first
                          shown
actions.py                Every command of the window with its key, declared once: menus, tool bar, palette, sheet of
                          keys are made of it
dialog.py                 Base classes of dialogs, message boxes that ask one question, and the tab order inside a
                          window
navigation.py             Getting about the window by keyboard: from pane to pane, from session to session, and to
                          what is looked for
find_bar.py               A small bar in which one looks for words in what a pane shows: how many there are, next,
                          previous, Esc
external_programs.py      Exchange with other programs
messages.py               Messages to the user: toast, error banner, screen reader announcements, and errors as
                          sentences
bug_report.py             Handler of uncaught exceptions with its dialog, and the log handler for messages of Qt
problem_report.py         The report to attach to an issue, to be read before it is sent; nothing sends it by itself
garbage_collector.py      Python's cyclic garbage collector, kept on the main thread
localisation.py           Language of the window and of Qt, and the formatting of dates, times of day and days that
                          are left
relaunch.py               Another language: the window is made anew in it, on the same library, where the old one
                          stood
window_state.py           Geometry, docks, appearance and last session: an ini file in the library's folder, read
                          before the database is
pane_state.py             What the panes looked like when the window was closed, put back at the next start, and kept
                          at the end
single_instance.py        One window a library
forwarded_changes.py      A change that another program asked this window for: made here, and told back there
passing_on.py             A change passed on to the window that has the library open, from a program without a window
desktop_notifications.py  The system says that something long has ended, while the person looks at another window
agents/                   Agents: who is asked, and what each of them is
chat/                     The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that
                          open their passage
comparison/               Two answers that stand in one another's place, side by side: a window of its own
doctor/                   The check of documents: what was found in a document and lost -> rows with a remedy, and how
                          long its chunks are
evaluation/               The evaluation: passages marked right or wrong -> golden questions -> figures of one or two
                          ways to search
exhaustive/               A question asked of every passage of many documents: a dock of its own, below the chat
export/                   Exporting sessions, and taking them in again
inspector/                The inspector: a run, a citation or a document -> its passages, each on its page, with why
                          it was found
library/                  The library pane: documents of the library -> rows on the screen; drops and clicks ->
                          operations
map/                      The map of the library: every passage a point, what is alike close together; a question and
                          its hits drawn in
memory/                   What is remembered of conversations: shown, changed, removed, switched on and off; a window
                          of its own
network/                  What goes over the network, and the switch that lets nothing: a dock of its own, below the
                          chat
palette/                  The command palette: one field in which every command, document, session, agent and setting
                          is found by its name
retrievers/               Custom retrievers, plug-in files and workspaces: what is there, whether it may run, what is
                          wrong with it
sessions/                 The sessions pane: conversations kept in the library -> rows; find, rename, pin, archive,
                          remove with undo, export
settings/                 The settings dialog: declarations -> fields, and the model profiles
soundness/                The check of the library: whether it is sound, its repair, its backups; beside the window,
                          and in the place of it
why/                      Why a passage was found, or was not -> a sentence, what would help, and a picture of where
                          it stands
"""

import sys
from typing import Any

from PySide6 import QtCore  # noqa: F401 - loads the module that is looked up below


def _keep_pyside_from_reading_sources() -> None:
    """Switch off PySide's search of each imported module's source for its own name.

    The search tells which modules may use snake_case methods, which ours never do, and leaves every source in the cache
    of linecache. It takes 9 % of the time of all imports, 10 ms before the first paint, and 29 MB in the end.
    """
    feature: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False


_keep_pyside_from_reading_sources()
