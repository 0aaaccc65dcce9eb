"""The language of the window: which one, its texts, Qt's own, and how it writes dates."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QObject

from workbench.language import LANGUAGES, language, read_catalogue, speak

SYSTEM = "system"
_QT_TEXTS = "qt texts"
"""The name, among the application's children, of what translates Qt's own buttons and menus."""


def language_of(choice: str) -> str:
    """Return the code of a choice's language; "system" is that of the system where we have it, else English."""
    if choice in LANGUAGES:
        return choice
    name = QLocale.system().name()
    return next((code for code in LANGUAGES if name == code), "en")


def speak_in(choice: str) -> None:
    """Write everything that is made from now on in a language: "system", or a code."""
    code = language_of(choice)
    if code == language():
        return
    speak(None if code == "en" else read_catalogue(code))
    # Where the system speaks English, it says which one's dates.
    own = QLocale.system()
    QLocale.setDefault(own if own.name().startswith(code) else QLocale(code))
    _speak_qt(code)


def _speak_qt(code: str) -> None:
    # Its translator class and its folder are made for other languages only: English is what Qt speaks by itself.
    from PySide6.QtCore import QLibraryInfo, QTranslator

    application = QCoreApplication.instance()
    assert application is not None
    before = application.findChild(QObject, _QT_TEXTS)
    if isinstance(before, QTranslator):
        application.removeTranslator(before)
        before.setParent(None)
    translator = QTranslator(application)
    translator.setObjectName(_QT_TEXTS)
    if code != "en" and translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)
