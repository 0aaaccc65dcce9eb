"""Map of the library: each passage is a point, similar passages are close together; shows a question and its hits.

presenter.py    Presenter of the map: when it is computed, the part of one knowledge base, and the wording of its extent
pane.py         Map pane: the map with its lists, its empty state, and the card of the passage under the pointer
canvas.py       Widget of the map: points, names, question and hits, and the point nearest to the pointer
viewport.py     Viewport of the map: coordinate transform, and the widget that pans and zooms
raster.py       Rasterisation of the points with numpy off the main thread, and the picture on show
colouring.py    Colours of the map: palette, assignment of colours to documents, and shading of each point
map_overlay.py  Layer over the points of the map: names of regions, the question, and its hits
map_lists.py    Lists next to the map: documents as its legend and regions, with item model and delegate
score_chart.py  Chart of the scores of a search, and its data classes
"""
