"""The window, and the only room that imports PySide6 (besides app.py): widgets in, operations out, events back.

bridge.py       the one crossing between the worker and the window
theme.py        the design system: colours, type, spacing, icons, style sheet; light and dark
controls.py     makers of dressed labels, buttons, boxes
shell.py        the window alive: opens the library, gives it to the panes, closes it at the end
connections.py  what one pane says, told to the others
dialogs.py      settings, the sheet of keys, the choice of a library; library_dialog.py: what windows share that ask one
verbs.py        the operations, imported when first used; preloading.py: what is imported behind the first paint
main_window.py  docks, menus, tool bar; geometry and docks remembered
dock.py         a dock with a quiet title bar; late_dock.py: its content made when it is first shown
actions.py      every command of the window with its key, once
dialog.py       what every dialog is built on; user_dialog.py: who is asking
navigation.py   getting about by keyboard; reading_order.py: where Tab goes
announcing.py   what a screen reader is told of its own accord
find_bar.py     words looked for in what a pane shows
dates.py        days and times as people write them, in the window's language
asking.py       boxes that ask one thing, in plain text; inert_browser.py: rich text that loads nothing
opening.py      the one way to other programs: links show where they lead first
drag_out.py     quotes with their source, dragged or copied into other programs
status.py       the strip at the foot: index, who answers, what leaves the machine (answerer.py)
problem_page.py what stands in the window when the library cannot be opened
shortcuts.py    the sheet of keys
toast.py        short messages, errors in line; error_words.py: what went wrong, in a sentence
bug_report.py   what is not caught anywhere else: logged, and shown as one calm sentence; how the last run ended
problem_report.py  the report to attach to an issue
qt_messages.py  what Qt warns of, into the log
garbage.py      Python's garbage collector, kept on the main thread
window_language.py  which language the window is in; renewal.py: another one, in a window made anew
window_state.py geometry, docks, last session: an ini file in the library's folder
remembering.py  what the panes looked like, put back
single_instance.py  one window a library: a second start hands over what it was given
passed_changes.py  changes that a command asks the window for; passing_on.py: the side of the command
notifications.py    the system says that something long has ended

palette/                                        every command, document, session, setting and agent by its name
library/ sessions/ chat/ inspector/ settings/   the panes: item model + presenter + widgets
comparison/                                     two answers side by side: a window of its own
agents/                                         who can be asked: a window of its own, and a button in the composer
export/                                         sessions written to files and read from them: a window of its own
doctor/                                         the check of documents, a window of its own
memory/                                         what is remembered of conversations: a window of its own
retrievers/                                     custom retrievers, plug-in files, workspaces: a window of its own
why/                                            why a passage was found or not, a tab of the inspector
map/                                            the library as a picture: a dock of its own
evaluation/                                     golden questions, and what comes of asking them: a dock of its own
exhaustive/                                     a question asked of every passage: a dock of its own
soundness/                                      whether the library is sound: its check, repair and backups
network/                                        what goes over the network, and the air gap: a dock of its own
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
