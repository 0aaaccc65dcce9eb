"""Vectors -> points in a plane, to be looked at: what is alike stands together.

    a sample -> landmarks -> laid out by t-SNE -> every vector placed among the landmarks nearest to it -> chart

Only landmarks are laid out, of which there are never more than 2,000: 3 s of one processor however large the library.
Everything else, what comes later and a question included, is placed by them and moves nothing.

landmarks.py  which vectors stand for all: they themselves where they are few, else the middles of their groups
layout.py     landmarks -> points; runs in a child process
placing.py    any vector -> its point among the landmarks
chart.py      all of it together, changed as the library changes
chart_file.py a chart in a file, whole or not at all, checked when it is read
regions.py    points -> groups of neighbours
"""
