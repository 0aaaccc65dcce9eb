"""Pictures of every state of the window, made by one command: make screenshots.

made-up files -> a temporary library -> the real window, used as a person would -> pictures -> resources/screenshots

__main__.py   the command: one process a screen, then the page that lists the pictures
stage.py      the window on its stage: waits, presses, photographs
model.py      a scripted model on loopback, for the states that need one
files.py      the made-up documents
library.py answers.py panes.py windows.py looks.py   the scenes, each a state
"""
