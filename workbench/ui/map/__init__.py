"""The map of the library: every passage a point, what is alike close together; a question and its hits drawn in.

map_dock.py     The dock of the map: below the chat, its content made when it is first shown
presenter.py    The decisions of the map: when it is computed, the part of one knowledge base, and the wording of its
                extent
pane.py         The map pane: the map with its lists, the state when there is none yet
canvas.py       The map itself: points, names, question and hits, and what the pointer is on
viewport.py     Viewport of the map: coordinate transform, widget that pans and zooms, and the point nearest to a
                position
raster.py       Rasterises the points of the map with numpy off the main thread, and keeps the picture that is shown
colouring.py    Colours of the map: palette, assignment of colours to documents, and shading of each point
palette.py      The colours of documents: told from each other in light and dark, and by people who see fewer colours
picking.py      Which point of the map is meant by a place on the screen
map_overlay.py  What is drawn over the points of the map: names of regions, the question, and its hits
map_lists.py    Lists beside the map: documents as its legend and regions, with item model and delegate
score_chart.py  Chart of the scores of a search, and the lines it is made of
"""
