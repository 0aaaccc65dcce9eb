"""Scenes of the appearance of the window: dark, in Chinese, small, large, and on screens of every density."""

from answers import OIL
from model import Script
from panes import show_answer
from PySide6.QtWidgets import QListView
from stage import Stage

from workbench.ui.exhaustive.pane import ExhaustivePane

SMALL, USUAL, LARGE = (1024, 640), (1440, 900), (1920, 1080)
SCALES = (1.25, 1.5, 2.0)


def dark(stage: Stage, _script: Script) -> None:
    """Show the window with the dark theme."""
    show_answer(stage)
    stage.shell.settings.put("theme", "dark")
    stage.pause(0.6)
    stage.shoot("dark", "The dark theme")
    stage.shell.settings.put("theme", "light")
    stage.pause(0.4)


def small(stage: Stage, _script: Script) -> None:
    """Show the window on the smallest supported screen."""
    stage.shell.window.resize(*SMALL)
    stage.pause(0.3)
    stage.wait_for_page()
    stage.shoot("small", "A small window, 1024 × 640")
    stage.shell.window.resize(*USUAL)
    stage.pause(0.2)


def chinese(stage: Stage, _script: Script) -> None:
    """Show the window in Chinese, chosen while it is open."""
    before = stage.shell
    before.settings.put("language", "zh_CN")
    stage.wait(lambda: stage.shell is not before and stage.shell.library is not None, "the window in Chinese")
    stage.wait(lambda: stage.shell.documents.loaded, "the documents")
    stage.pause(0.6)
    stage.shell.sessions.new()
    run = stage.ask(OIL)
    stage.shell.chat.citation_activated.emit(next(one for one in run.citations if one.valid))
    stage.pause(0.5)
    stage.shoot("chinese", "The window in Chinese")
    stage.command("settings")
    stage.shoot("chinese-settings", "The settings in Chinese")
    stage.clear()
    stage.command("shortcuts")
    stage.shoot("chinese-shortcuts", "The keyboard shortcuts in Chinese")
    stage.clear()
    stage.command("read_all")
    stage.find(ExhaustivePane)
    stage.shoot("chinese-reading", "Read everything, in Chinese")
    stage.shell.exhaustive.dock.close()


def english(stage: Stage, _script: Script) -> None:
    """Return to English, for the other screens."""
    before = stage.shell
    before.settings.put("language", "en")
    stage.wait(lambda: stage.shell is not before and stage.shell.library is not None, "the window in English")


def scaled(stage: Stage, scale: float) -> None:
    """Show the window on a screen of another density."""
    show_answer(stage)
    # The list scrolls to the open session, before or after it has got its height.
    stage.find(QListView, within=stage.shell.sessions_pane).scrollToTop()
    if scale == max(SCALES):
        stage.shell.window.resize(*LARGE)
    # The stored heights may be a pixel off at a scale that is no whole number.
    stage.shell.window.arrange()
    stage.pause(0.3)
    if scale == max(SCALES):
        stage.wait_for_page()
        stage.shoot("4k", "A 4K screen, 3840 × 2160 pixels at scale 2")
    else:
        stage.shoot(f"scale-{scale * 100:.0f}", f"A screen at {scale * 100:.0f} %")


SCENES = (dark, small, chinese, english)
