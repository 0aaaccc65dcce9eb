"""Card of the vector store: shows those in use, and moves the library or a knowledge base to another one and back."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QProgressBar, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.profile import NO_KEYRING
from workbench.model.vector_store import (
    BUILT_IN_STORE,
    LIBRARY_STORE,
    AddressUse,
    StoreChoice,
    StoreMoveProgress,
    StoreOffer,
    StoreState,
)
from workbench.ui.controls import button, frame, label, restyle
from workbench.ui.library.document_wording import time_left
from workbench.ui.messages import announce, error_words
from workbench.ui.network.offline_mode import OfflineModeConsentRow, OfflineModePresenter
from workbench.ui.network.offline_mode_button import OfflineModeButton
from workbench.ui.settings.model_servers import is_local
from workbench.ui.settings.service_cards import ApiKeyField
from workbench.ui.settings.store_presenter import StorePresenter

TITLE = mark("Vector store")
_ABOUT = mark("Where the vectors of your passages are stored and searched. The built-in store suits most libraries.")
_OPENS = mark("Moving to a server on another computer makes an exception to offline mode for this server.")
_REMOTE = mark("Vectors of passages and questions are sent to this server; texts are not.")
_LOCAL = mark("This server runs on this computer: nothing leaves it.")
_IN_FILES = mark("Without an address, the vectors are stored in files in the library.")
_AS_LIBRARY = StoreOffer(LIBRARY_STORE, "")
_LIBRARY = StoreChoice(LIBRARY_STORE)
_EXAMPLES = {"pgvector": "postgresql://name@localhost/database"}
_EXAMPLE = "http://localhost:6333"
FIELD_WIDTH = 240


class StoreCard(QWidget):
    """Card with the store in use, the choice of another one, and the progress of a move."""

    def __init__(self, presenter: StorePresenter, offline_mode: OfflineModePresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._state = label(tr("Opening the vector store…"), "caption", wrap=True)
        self._problem = label("", "caption", wrap=True, tone="warn")
        self._base = QComboBox()
        self._base.setAccessibleName(tr("What to move"))
        self._base.setMinimumWidth(FIELD_WIDTH)
        self._store = QComboBox()
        self._store.setAccessibleName(tr(TITLE))
        self._store.setMinimumWidth(FIELD_WIDTH)
        self._server = QFormLayout()
        self._address, self._variable = QLineEdit(), QLineEdit()
        self._address.setAccessibleName(tr("Vector store address"))
        self._variable.setAccessibleName(tr("Key variable for the vector store"))
        self._variable.setPlaceholderText(tr("Environment variable with the key (optional)"))
        self._key = ApiKeyField(tr("Password or API key of the vector store"))
        self._note = label("", "caption", wrap=True)
        self._consent = OfflineModeConsentRow(offline_mode)
        self._switch = OfflineModeButton()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(tr("Progress of the move"))
        self._result = label("", "caption", wrap=True)
        self._move = button(tr("Move the library"), "secondary", self._on_move)
        self._cancel = button(tr("Cancel"), "secondary", presenter.cancel)
        self._back = button(tr("Move back"), "secondary", self._on_back)
        self._delete = button(tr("Delete old vectors"), "ghost", presenter.delete_others)
        self._lay_out()
        self._connect()
        self._result.hide()
        self._show()

    @property
    def text(self) -> str:
        """Text of the card."""
        shown = (self._state, self._problem, self._note, self._result)
        return " ".join(one.text() for one in shown if one.text() and not one.isHidden())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Another program may have moved the library, and a server may be reachable again.
        self._presenter.refresh()

    def _lay_out(self) -> None:
        chosen = QHBoxLayout()
        chosen.addWidget(self._base)
        chosen.addWidget(self._store)
        chosen.addStretch(1)
        chosen.addWidget(self._move)
        chosen.addWidget(self._cancel)
        kept = QHBoxLayout()
        kept.addStretch(1)
        kept.addWidget(self._delete)
        kept.addWidget(self._back)
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(8)
        inside.addWidget(label(tr(TITLE), "title"))
        for one in (label(tr(_ABOUT), "caption", wrap=True), self._state, self._problem, self._bar):
            inside.addWidget(one)
        inside.addLayout(chosen)
        self._server.setHorizontalSpacing(16)
        self._server.setVerticalSpacing(8)
        self._server.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._server.addRow(tr("Address"), self._address)
        self._server.addRow(tr("Password or API key"), self._key)
        self._server.addRow(tr("API key variable"), self._variable)
        inside.addLayout(self._server)
        for widget in (self._note, self._consent, self._result, self._switch):
            inside.addWidget(widget)
        inside.addLayout(kept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    def _connect(self) -> None:
        presenter = self._presenter
        self._base.activated.connect(self._on_base_chosen)
        self._store.activated.connect(self._on_chosen)
        self._address.textChanged.connect(self._show_choice)
        self._variable.editingFinished.connect(self._on_variable)
        self._key.entered.connect(self._on_key)
        presenter.state_changed.connect(self._show)
        presenter.progress_changed.connect(self._show)
        presenter.moved.connect(self._on_moved)
        presenter.key_kept.connect(self._on_key_kept)
        presenter.variable_changed.connect(self._variable.setText)
        presenter.failed.connect(self._on_failed)

    @property
    def _offer(self) -> StoreOffer | None:
        """The store selected in the list."""
        offer: StoreOffer | None = self._store.currentData()
        return offer

    @property
    def _knowledge_base(self) -> str:
        """The selected knowledge base; empty for the library."""
        return str(self._base.currentData() or "")

    @property
    def _in_use(self) -> StoreChoice | None:
        """The store of the selected knowledge base or of the library; None if it is not known yet."""
        state = self._presenter.state
        if state is None:
            return None
        is_own = any(one.knowledge_base == self._knowledge_base for one in state.of_bases)
        return state.store_of(self._knowledge_base) if is_own or not self._knowledge_base else _LIBRARY

    def _choice(self) -> StoreChoice:
        offer = self._offer
        if offer is None or offer.name in (BUILT_IN_STORE, LIBRARY_STORE):
            return StoreChoice(offer.name) if offer is not None else StoreChoice()
        return StoreChoice(offer.name, self._address.text().strip() if offer.address_use != AddressUse.NEVER else "")

    @Slot()
    def _show(self) -> None:
        state, progress = self._presenter.state, self._presenter.progress
        self._bar.setVisible(progress is not None)
        self._cancel.setVisible(self._presenter.can_cancel)
        if progress is not None:
            self._bar.setValue(round(1000 * progress.done / max(1, progress.total)))
            self._state.setText(_describe_progress(progress, self._title(progress.name)))
        elif state is not None:
            self._state.setText(self._describe_stores(state))
        self._problem.setText(_problems_of(state) if state is not None and progress is None else "")
        self._problem.setVisible(bool(self._problem.text()))
        others = state.others if state is not None and progress is None else ()
        self._back.setVisible(bool(others))
        self._delete.setVisible(bool(others))
        if others:
            self._back.setText(tr("Move back to {store}", store=self._presenter.title(others[0])))
        self._show_bases()
        self._show_stores()
        self._show_choice()

    def _describe_stores(self, state: StoreState) -> str:
        lines = [_describe_state(self._title(state.current.name), state.vectors)]
        for one in state.of_bases:
            store = self._title(one.choice.name)
            lines.append(f"{one.knowledge_base}: {_describe_state(store, one.vectors)}")
        return "\n".join(lines)

    def _title(self, name: str) -> str:
        return tr("the store of the library") if name == LIBRARY_STORE else self._presenter.title(name)

    def _show_bases(self) -> None:
        """Fill the list of knowledge bases again, which is shown if there are several; the selection stays."""
        state = self._presenter.state
        if state is None:
            return
        names = ["", *state.knowledge_bases]
        if [self._base.itemData(row) for row in range(self._base.count())] != names:
            selected = self._knowledge_base
            with QSignalBlocker(self._base):
                self._base.clear()
                for name in names:
                    self._base.addItem(name or tr("The library"), name)
                self._base.setCurrentIndex(max(0, self._base.findData(selected)))
        self._base.setVisible(len(state.knowledge_bases) > 1)

    def _show_stores(self) -> None:
        """Fill the list again; the selection stays, and is the requested store or the one in use at first."""
        state, before = self._presenter.state, self._offer
        if state is None:
            return
        offers = [_AS_LIBRARY, *state.offers] if self._knowledge_base else [*state.offers]
        if [self._store.itemData(row) for row in range(self._store.count())] == offers:
            return
        in_use = self._in_use or state.current
        if not self._knowledge_base:
            in_use = state.wanted or in_use
        selected = before.name if before in offers and before is not None else in_use.name
        with QSignalBlocker(self._store):
            self._store.clear()
            for offer in offers:
                self._store.addItem(_title_of_offer(offer), offer)
                if offer.name == selected:
                    self._store.setCurrentIndex(self._store.count() - 1)
        if before is None or before not in offers:
            self._show_address()

    def _show_address(self) -> None:
        """Show the last known address of the selected store."""
        state, offer = self._presenter.state, self._offer
        if state is not None and offer is not None:
            known = (self._in_use, state.wanted, state.current)
            named = next((one for one in known if one and one.name == offer.name), None)
            self._address.setText(named.url if named is not None else offer.url)
            self._address.setPlaceholderText(_EXAMPLES.get(offer.name, _EXAMPLE))

    @Slot()
    def _show_choice(self) -> None:
        state, offer, choice = self._presenter.state, self._offer, self._choice()
        is_moving = self._presenter.is_busy
        has_address = offer is not None and offer.address_use != AddressUse.NEVER and not offer.extra
        is_remote = bool(choice.url) and not _is_here(choice.url)
        self._server.setRowVisible(self._address, has_address)
        for one in (self._key, self._variable):
            self._server.setRowVisible(one, has_address and bool(choice.url))
        self._note.setText(_describe_choice(offer, choice) if offer is not None else "")
        self._note.setVisible(bool(self._note.text()))
        self._consent.ask(is_remote, opens=_OPENS)
        is_complete = offer is not None and (offer.address_use != AddressUse.REQUIRED or bool(choice.url))
        can_move = state is not None and offer is not None and not offer.extra and choice != self._in_use
        self._move.setVisible(not is_moving)
        self._move.setEnabled(can_move and is_complete)
        self._store.setEnabled(not is_moving)
        self._base.setEnabled(not is_moving)
        if self._knowledge_base:
            self._move.setText(tr("Move the knowledge base"))
        else:
            is_interrupted = state is not None and state.wanted is not None and state.wanted == choice
            self._move.setText(tr("Continue the move") if is_interrupted else tr("Move the library"))

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        self._result.setVisible(bool(text))
        restyle(self._result, tone=tone)
        announce(self, text)

    @Slot(int)
    def _on_base_chosen(self, _row: int) -> None:
        """Select the store of the knowledge base."""
        self._show_message("")
        self._store.clear()
        self._show_stores()
        self._show_choice()

    @Slot(int)
    def _on_chosen(self, _row: int) -> None:
        self._show_message("")
        self._show_address()
        self._show_choice()

    @Slot()
    def _on_move(self) -> None:
        self._show_message("")
        self._switch.follow("")
        self._presenter.move(self._choice(), self._knowledge_base)

    @Slot()
    def _on_back(self) -> None:
        state = self._presenter.state
        if state is not None and state.others:
            self._base.setCurrentIndex(0)
            self._store.clear()
            self._show_stores()
            row = next((row for row in range(self._store.count()) if self._offer_at(row).name == state.others[0]), 0)
            self._store.setCurrentIndex(row)
            self._show_address()
            self._on_move()

    def _offer_at(self, row: int) -> StoreOffer:
        offer: StoreOffer = self._store.itemData(row)
        return offer

    @Slot(str)
    def _on_key(self, key: str) -> None:
        self._presenter.put_key(self._choice().url, key)

    @Slot()
    def _on_variable(self) -> None:
        self._presenter.put_variable(self._variable.text().strip())

    @Slot(bool)
    def _on_key_kept(self, is_stored: bool) -> None:
        if is_stored:
            self._show_message(tr("Saved in the system keyring, for this server only."), "ok")
        else:
            self._show_message(tr(NO_KEYRING), "warn")

    @Slot(str, str)
    def _on_moved(self, name: str, knowledge_base: str) -> None:
        store = self._title(name)
        if knowledge_base:
            text = tr("The knowledge base “{name}” now uses {store}.", name=knowledge_base, store=store)
        else:
            text = tr("The library now uses {store}.", store=store)
        self._show_message(text, "ok")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_message(error_words(error), "danger")
        self._switch.follow(error)


def _title_of_offer(offer: StoreOffer) -> str:
    if offer.name == LIBRARY_STORE:
        return tr("As the library")
    title = tr("{store} (built in)", store=offer.title) if offer.name == BUILT_IN_STORE else offer.title
    return tr("{store} – not installed", store=title) if offer.extra else title


def _problems_of(state: StoreState) -> str:
    return " ".join(translate(one) for one in (state.problem, *(base.problem for base in state.of_bases)) if one)


def _is_here(url: str) -> bool:
    # An address without a host is a socket in the file system: postgresql:///books?host=/run/postgresql.
    try:
        return is_local(url) or ("://" in url and not urlsplit(url).hostname)
    except ValueError:
        return False  # half an address, such as “http://[”


def _describe_state(store: str, vectors: int | None) -> str:
    if vectors is None:
        return tr("In use: {store}.", store=store)
    return trn("In use: {store}, {n:,} vector.", "In use: {store}, {n:,} vectors.", vectors, store=store)


def _describe_progress(progress: StoreMoveProgress, store: str) -> str:
    if not progress.total:
        return tr("Moving to {store}: connecting…", store=store)
    left = time_left(progress.seconds_left)
    done = trn(
        "Moving to {store}: {done:,} of {n:,} vector.",
        "Moving to {store}: {done:,} of {n:,} vectors.",
        progress.total,
        store=store,
        done=progress.done,
    )
    meanwhile = tr("You can keep searching meanwhile.")
    return f"{done} {left[:1].upper()}{left[1:]}. {meanwhile}" if left else f"{done} {meanwhile}"


def _describe_choice(offer: StoreOffer, choice: StoreChoice) -> str:
    if offer.extra:
        return tr(
            "{store} is not installed. Install it with “{command}”, then restart the program.",
            store=offer.title,
            command=f"pip install 'knowledge-workbench[{offer.extra}]'",
        )
    if choice.url:
        return tr(_LOCAL if _is_here(choice.url) else _REMOTE)
    if offer.address_use is AddressUse.REQUIRED:
        return tr("Enter the address of the {store} server.", store=offer.title)
    return tr(_IN_FILES) if offer.address_use is AddressUse.OPTIONAL else ""
