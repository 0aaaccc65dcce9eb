"""Two-dimensional projection of the vectors, for the map of the library.

    a sample -> landmarks -> laid out by t-SNE -> every vector placed among the landmarks nearest to it -> chart

Only landmarks are laid out, of which there are never more than 2,000: 3 s of one processor however large the library.
All other vectors, including later ones and the query, are placed relative to them without moving others.

plane_layout.py  Layout of landmarks in a plane by t-SNE, and groups of neighbouring points in it
chart.py         Chart of a library's vectors in a plane
"""
