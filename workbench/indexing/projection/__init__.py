"""Vectors -> points in a plane, to be looked at: what is alike stands together.

    a sample -> landmarks -> laid out by t-SNE -> every vector placed among the landmarks nearest to it -> chart

Only landmarks are laid out, of which there are never more than 2,000: 3 s of one processor however large the library.
Everything else, what comes later and a question included, is placed by them and moves nothing.

plane_layout.py  Layout of landmarks in a plane by t-SNE, and groups of neighbouring points in it
chart.py         Chart of a library's vectors in a plane
"""
