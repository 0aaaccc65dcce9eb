"""Dialogs that add documents: links and topics, and notes."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.ui.controls import bring_up, button, dialog_foot, frame, label, restyle
from workbench.ui.dialog import Dialog
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.library.other_sources import fetch_words, remote_hosts, typed_lines

SCRIPTS = mark("Run scripts on the page")
SCRIPTS_HELP = mark(
    "For pages that are empty without scripts. Chromium or Chrome opens the page in the "
    "background. It may load content from other servers, but not from this computer or its "
    "local network."
)

SHUT = mark(
    "Offline mode stays on. “Download” contacts only the servers it names, once, for these "
    "pages. Content from other servers is blocked. If this system cannot restrict a browser "
    "that runs scripts, the browser's own settings are used."
)


class AddLinkDialog(Dialog):
    """Dialog that takes links, and offers to look up topics once the lookup server is known.

    Signals:
        links_given: The links, and whether their pages' scripts are to be run.
        topics_given: The topics to look up, and the server to look them up at.
    """

    links_given = Signal(list, bool)
    topics_given = Signal(list, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add link"))
        self.setMinimumWidth(520)
        self._links = QPlainTextEdit()
        self._links.setPlaceholderText("https://example.org/report.html")
        self._links.setAccessibleName(tr("Links, one per line"))
        self._links.setTabChangesFocus(True)
        self._links.setFixedHeight(120)
        self._links.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._scripts = QCheckBox(tr(SCRIPTS))
        self._scripts.setAccessibleDescription(tr(SCRIPTS_HELP))
        self._said = label("", "caption", wrap=True)
        self._host = ""
        # A separate consent: text that was typed or pasted by mistake does not leave the machine.
        self._looks_up = QCheckBox(tr("Look up"))
        self._is_shut = False
        self._shut = label(tr(SHUT), wrap=True)
        self._box = frame("banner", tone="ok")
        self._box.hide()
        self._add = button(tr("Add"), "primary", self._on_add)
        self._add.setDefault(True)
        self._lay_out()
        self._links.textChanged.connect(self._on_changed)
        self._looks_up.toggled.connect(self._on_changed)
        self._on_changed()

    def begin(self, links: list[str]) -> None:
        """Show the dialog with these links in it."""
        self._links.setPlainText("\n".join(links))
        self._looks_up.setChecked(False)
        self._host = ""
        bring_up(self)
        self._on_changed()
        self._links.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_offline_mode(self, *, on: bool) -> None:
        """Show the offline mode notice: which servers adding a page may contact while offline mode is on."""
        self._is_shut = on
        self._box.setVisible(on)
        self._on_changed()

    @Slot(str)
    def offer_topics(self, host: str) -> None:
        """Offer to look up lines that are not links at this server."""
        self._host = host
        self._on_changed()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Add web pages"), "heading"))
        layout.addWidget(label(tr("Each page is downloaded once. Its images and links are not."), "muted", wrap=True))
        inside = QHBoxLayout(self._box)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(self._shut)
        layout.addWidget(self._box)
        layout.addWidget(self._links)
        layout.addWidget(self._said)
        layout.addWidget(self._looks_up)
        layout.addWidget(self._scripts)
        layout.addWidget(label(tr(SCRIPTS_HELP), "caption", wrap=True))
        layout.addSpacing(6)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._add))

    @Slot()
    def _on_changed(self) -> None:
        typed = typed_lines(self._links.toPlainText())
        wrong = typed.wrong[:1] or ([] if self._looks_up.isChecked() else typed.topics[:1])
        if typed.topics and self._host:
            self._looks_up.setText(_offer(typed.topics, self._host))
        self._looks_up.setVisible(bool(typed.topics and self._host))
        self._add.setEnabled(bool(typed.links or typed.topics) and not wrong)
        hosts = (*remote_hosts(typed.links), *((self._host,) if typed.topics and self._host else ()))
        self._add.setText(fetch_words(tuple(dict.fromkeys(hosts))) if self._is_shut and hosts else tr("Add"))
        if wrong:
            self._said.setText(tr("“{word}” is not a link.", word=_shorten(wrong[0])))
        else:
            counted = [trn("{n:,} link", "{n:,} links", len(typed.links))] if typed.links else []
            counted += [trn("{n:,} topic", "{n:,} topics", len(typed.topics))] if typed.topics else []
            hint = tr("Enter one link or topic per line.") if self._host else tr("Enter one link per line.")
            self._said.setText(join_with_commas(counted) or hint)
        restyle(self._said, tone="danger" if wrong else "")
        if self.isVisible():
            self.grow()

    @Slot()
    def _on_add(self) -> None:
        typed = typed_lines(self._links.toPlainText())
        self.accept()
        self._links.clear()
        if typed.links:
            self.links_given.emit(typed.links, self._scripts.isChecked())
        if typed.topics:
            self.topics_given.emit(typed.topics, self._host)


def _offer(topics: list[str], host: str) -> str:
    """Return the label of the lookup box: "Look up “Sea ice” in Wikipedia (en.wikipedia.org)"."""
    topic, more = _shorten(topics[0]), len(topics) - 1
    if host.endswith(".wikipedia.org"):
        several = tr("Look up “{topic}” and {n} more in Wikipedia ({host})", topic=topic, n=more, host=host)
        one = tr("Look up “{topic}” in Wikipedia ({host})", topic=topic, host=host)
    else:
        several = tr("Look up “{topic}” and {n} more at {host}", topic=topic, n=more, host=host)
        one = tr("Look up “{topic}” at {host}", topic=topic, host=host)
    # A single “&” would underline the letter after it.
    return (several if more else one).replace("&", "&&")


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


class NoteDialog(Dialog):
    """Dialog that takes the title and the text of a note.

    Signals:
        note_given: Document of the note (0 for a new one), the text, and the title, which may be empty.
    """

    note_given = Signal(int, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = 0
        self._before = ("", "")
        self.resize(600, 460)
        self._title = QLineEdit()
        self._title.setPlaceholderText(tr("Title (optional)"))
        self._title.setAccessibleName(tr("Title"))
        self._text = QPlainTextEdit()
        self._text.setPlaceholderText(tr("Write or paste text. Markdown is supported."))
        self._text.setAccessibleName(tr("Text of the note"))
        self._text.setTabChangesFocus(True)
        self._save = button(tr("Save"), "primary", self._on_save)
        self._save.setToolTip(tr("Save (Ctrl+Enter)"))
        self._heading = label("", "heading")
        self._lay_out()
        self._text.textChanged.connect(self._on_changed)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self._on_save)
        self._on_changed()

    def begin(self, *, text: str = "", title: str = "", document: int = 0) -> None:
        """Show the dialog with this text; document is the id of the note, 0 for a new one."""
        words = tr("Edit note") if document else tr("New note")
        self._document = document
        self._before = (text, title)
        self.setWindowTitle(words)
        self._heading.setText(words)
        self._title.setText(title)
        self._text.setPlainText(text)
        bring_up(self)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(self._heading)
        layout.addWidget(self._title)
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._save))

    @Slot()
    def _on_changed(self) -> None:
        self._save.setEnabled(bool(self._text.toPlainText().strip()))

    @Slot()
    def _on_save(self) -> None:
        text, title = self._text.toPlainText(), self._title.text().strip()
        if not text.strip():
            return
        self.accept()
        if (text, title) != self._before or not self._document:
            self.note_given.emit(self._document, text, title)
