"""The map of the library: every passage a point, what is alike close together; a question and its hits drawn in.

dock.py       the dock, in its place from the start; its pane is made when it is first shown
presenter.py  when the map is looked at and drawn; what of an answer is shown on it
pane.py       why there is no map yet, or the map with its lists
canvas.py     the map; viewing.py: wheel, drag and keys; view.py: which part of it is seen
pictures.py   the points as a picture, drawn off the main thread by raster.py
part.py       the part of a map that one knowledge base has
colouring.py  which documents have the colours: those with most points in sight
shading.py    whose points have which colour (palette.py), and which stand out
picking.py    the point that the pointer is on; card.py: what it says
labels.py     names of regions that find room; marks.py: how these, stars and hits are painted
overlay.py    an answer -> its question and hits as they stand on the map
lists.py      documents and regions as lists, for the legend and for who sees no picture (rows.py); wording.py: how much
score_chart.py  what each step of a search made of its hits, drawn; scores.py: an answer -> its lines
"""
