"""Window of the program, and the only package that imports PySide6 (apart from app.py and tour.py).

Widgets start operations through the bridge, and the bridge delivers their events and results.

bridge.py                 Bridge between the worker thread and the main thread: one Qt signal with frozen dataclasses
theme.py                  Design system: colours, type scale, spacing, icons and the application's style sheet, light
                          and dark
controls.py               Factory functions for styled labels, buttons and frames
app_controller.py         Controller of the window: opens the library through the worker, passes it to the panes, and
                          closes it
wiring.py                 Signal connections between the panes
dialog_manager.py         Creates and shows the dialogs of the window on demand; user dialog and shortcut sheet
preloading.py             Imports of the modules that the window needs soon after its first paint
main_window.py            Main window: docks, menus, tool bar, status strip, and the page shown when the library
                          cannot be opened
dock.py                   Dock with a quiet title bar, and the lazy dock whose content is created when it is first
                          shown
pane_docks.py             Docks of the panes below the chat and beside it; the content of each is created when it is
                          first shown
actions.py                Commands of the window with their keys, declared once for menus, tool bar, palette and
                          shortcut sheet
dialog.py                 Base classes of dialogs, message boxes that ask one question, and the tab order inside a
                          window
two_columns.py            Two columns in a narrow window: the chat, and the docks of one side
navigation.py             Keyboard navigation between panes, sessions and search fields
find_bar.py               Find bar: searches the text that a pane shows
external_programs.py      Exchange with other programs: links, files, clipboard, drag and drop
messages.py               Messages to the user: toast, error banner, screen reader announcements, and errors as
                          sentences
bug_report.py             Handler of uncaught exceptions with its dialog, the log handler for messages of Qt, and the
                          problem report that the user reads and sends
release_notes.py          What is new in this version, and the quiet notice of a newer one
system_check.py           Dialog with what this computer offers and lacks, and what the program does about it
garbage_collector.py      Python's cyclic garbage collector, kept on the main thread
localisation.py           Language of the window and of Qt, and the formatting of dates, times and remaining days
relaunch.py               Rebuilds the window in another language, on the same library
window_state.py           Geometry, docks, panes and drafts: an ini file in the library's folder, read before the
                          database, and restored at the next start
single_instance.py        Single window per library, with a server for the requests of other programs
forwarded_changes.py      Change requested by another program, made in this window
passing_on.py             Client that passes a change to the window that has the library open
desktop_notifications.py  Desktop notifications about finished long tasks while the window is inactive
agents/                   Agents: selection and editing
chat/                     Chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that
                          open their passage
comparison/               Window that compares two alternative answers side by side
doctor/                   Document check: problems and losses of a document as rows with remedies, and its chunk
                          lengths
evaluation/               Evaluation: passages marked right or wrong -> golden questions -> figures of one or two
                          search configurations
exhaustive/               Dock of exhaustive readings: a question asked of every passage of many documents
export/                   Export and import of sessions
inspector/                Inspector: a run, a citation or a document -> its passages, each on its page, with the
                          reason why it was found
library/                  Library pane: documents of the library -> rows on the screen; drops and clicks -> operations
map/                      Map of the library: every passage a point, similar ones close together; a question and its
                          hits
memory/                   Dialog of the memories: shown, changed, removed, switched on and off
network/                  Dock of the network ledger, and the offline mode switch
palette/                  Command palette: finds commands, documents, sessions, agents and settings by name
retrievers/               Custom retrievers, plug-in files and workspaces: their permissions and problems
sessions/                 Sessions pane: stored conversations as rows; find, rename, pin, archive, remove with undo,
                          export
settings/                 Settings dialog: declarations -> fields, and the model profiles
soundness/                Integrity check of the library, its repair, its backups
why/                      Explanation why a passage was found or not: a sentence, advice, and a chart of its ranks
"""

import sys
from typing import Any

from PySide6 import QtCore  # noqa: F401 - loads the module that is looked up below


def _keep_pyside_from_reading_sources() -> None:
    """Disable PySide's search of each imported module's source for its own name.

    The search determines which modules may use snake_case methods, which ours never do, and leaves every source in the
    cache of linecache. It takes 9 % of the time of all imports, 10 ms before the first paint, and 29 MB in the end.
    """
    feature: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False


_keep_pyside_from_reading_sources()
