"""The window, and the only room that imports PySide6 (besides app.py): widgets in, operations out, events back.

bridge.py           The one crossing between the worker and the window: one Qt signal, payload always a frozen
                    dataclass
theme.py            The design system: colours, type scale, spacing, icons and the application's style sheet, light
                    and dark
controls.py         Small makers of dressed controls, so that every pane writes labels and buttons the same way
shell.py            The window alive: opens the library through the worker, gives it to the panes, and closes it at
                    the end
connections.py      What one pane says, told to the others
dialogs.py          The windows beside the window: settings, the sheet of keys, the choice of a library; made when
                    first asked for
library_dialog.py   What the windows share that show something of the open library and ask it anew each time they are
                    opened
verbs.py            The operations, imported when the first one is named: 0.3 s of imports that the first paint need
                    not wait for
preloading.py       Modules that the window needs soon after its first paint, imported on a thread while the window
                    can be used
main_window.py      The main window: docks, menus, tool bar, foot; widgets only, who is told what is decided in
                    shell.py
dock.py             A dock with a quiet title bar: its name, its own buttons, and close
late_dock.py        A dock that is in its place from the start, and whose content is made when it is first shown
actions.py          Every command of the window with its key, declared once: menus, tool bar, palette, sheet of keys
                    are made of it
dialog.py           A dialog: Tab goes through it as one reads, also through what is made anew in it after it was
                    shown
user_dialog.py      Who is asking: another user of the library is chosen or named, and the window shows that one's
                    sessions
navigation.py       Getting about the window by keyboard: from pane to pane, from session to session, and to what is
                    looked for
reading_order.py    Where Tab goes in the window: pane after pane from left to right, within each and in a dialog as
                    one reads
announcing.py       What a screen reader is told of its own accord: politely after what it says now, or at once
find_bar.py         A small bar in which one looks for words in what a pane shows: how many there are, next, previous,
                    Esc
dates.py            Days and times of day as people write them, in the window's language and on this machine's clock
asking.py           Boxes that ask one thing. Names of documents and of folders stand in them: as plain text, whatever
                    they look like
inert_browser.py    Rich text of our own around what documents and models said: it loads nothing, and a link asks
                    before it opens
opening.py          The one way from the window to other programs: links show where they really lead before they are
                    opened
drag_out.py         What is dragged into another program, or copied for it: a quote with its source, as text and as
                    HTML
status.py           The strip at the foot of the window: how far the index is, who answers, and what leaves the
                    machine
answerer.py         Who answers the next question, and what leaves the machine with it; knows no Qt
problem_page.py     What stands in the window when the library cannot be opened
shortcuts.py        The sheet of keys, made from the same declarations as the keys themselves
toast.py            Short messages over the window: a toast that goes by itself, and a banner for errors that stays
                    until closed
error_words.py      What went wrong, in words
bug_report.py       What nothing else caught: logged, and shown as one calm sentence with the details to copy
problem_report.py   The report to attach to an issue, to be read before it is sent; nothing sends it by itself
qt_messages.py      What Qt says of itself, for the log: a plug-in that is not there, a platform that fails, a widget
                    used wrongly
garbage.py          Python's cyclic garbage collector, kept on the main thread
window_language.py  The language of the window: which one, its texts, Qt's own, and how it writes dates
renewal.py          Another language: the window is made anew in it, on the same library, where the old one stood
window_state.py     Geometry, docks, appearance and last session: an ini file in the library's folder, read before the
                    database is
remembering.py      What the panes looked like when the window was closed, put back at the next start, and kept at the
                    end
single_instance.py  One window a library: other programs hand it their files and links, or have it make a change
                    (passed_changes.py)
passed_changes.py   A change that another program asked this window for: made here, and told back there
passing_on.py       A change passed on to the window that has the library open, from a program without a window
notifications.py    The system says that something long has ended, while the person looks at another window
agents/             Agents: who is asked, and what each of them is
chat/               The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that open
                    their passage
comparison/         Two answers that stand in one another's place, side by side: a window of its own
doctor/             The check of documents: what was found in a document and lost -> rows with a remedy, and how long
                    its chunks are
evaluation/         The evaluation: passages marked right or wrong -> golden questions -> figures of one or two ways
                    to search
exhaustive/         A question asked of every passage of many documents: a dock of its own, below the chat
export/             Exporting sessions, and taking them in again
inspector/          The inspector: a run, a citation or a document -> its passages, each on its page, with why it was
                    found
library/            The library pane: documents of the library -> rows on the screen; drops and clicks -> operations
map/                The map of the library: every passage a point, what is alike close together; a question and its
                    hits drawn in
memory/             What is remembered of conversations: shown, changed, removed, switched on and off; a window of its
                    own
network/            What goes over the network, and the switch that lets nothing: a dock of its own, below the chat
palette/            The command palette: one field in which every command, document, session, agent and setting is
                    found by its name
retrievers/         Custom retrievers, plug-in files and workspaces: what is there, whether it may run, what is wrong
                    with it
sessions/           The sessions pane: conversations kept in the library -> rows; find, rename, pin, archive, remove
                    with undo, export
settings/           The settings dialog: declarations -> fields, and the model profiles
soundness/          The check of the library: whether it is sound, its repair, its backups; beside the window, and in
                    the place of it
why/                Why a passage was found, or was not -> a sentence, what would help, and a picture of where it
                    stands
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
