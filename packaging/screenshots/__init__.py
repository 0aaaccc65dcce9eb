"""Screenshots of every state of the window, taken by one command: make screenshots.

invented files -> a temporary library -> the real window, operated like a user does -> images -> resources/screenshots

__main__.py   the command: one process for each screen, then the page that lists the images
compare.py    the comparison with earlier images, also of two folders that WORKBENCH_JOURNEYS filled: make compare
stage.py      the window: wait, press, take a screenshot
model.py      a scripted model server on loopback, for the states that need a model
clock.py      a standing clock and fixed durations, so that two runs give the same pictures
files.py      the invented documents
library.py answers.py panes.py windows.py looks.py   the scenes: functions that bring the window into a state
"""
