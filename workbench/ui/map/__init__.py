"""The map of the library: every passage a point, what is alike close together; a question and its hits drawn in.

dock.py         The dock of the map: below the chat, its content made when it is first shown
presenter.py    The map's decisions: looked at when it is seen, drawn when there is none or enough has changed, kept
                up to date
pane.py         The map's pane: why there is none yet, or the map with its lists beside it or below
canvas.py       The map itself: points, names, question and hits, and what the pointer is on
viewing.py      A widget that looks at a part of the map: wheel, drag, double click and keys move the view
view.py         Which part of the map is looked at: map coordinates <-> pixels
pictures.py     The picture of the points that is shown, drawn anew off the main thread where one looks at something
                else
raster.py       Points -> a picture, by numpy: 100,000 as easily as 100; runs off the main thread
part.py         The part of a map that one knowledge base has
colouring.py    Which documents have the colours, where there are more documents than colours: those with most points
                in sight
shading.py      Documents -> how each point of the map is drawn: its colour, and whether it stands out or back
palette.py      The colours of documents: told from each other in light and dark, and by people who see fewer colours
picking.py      Which point of the map is meant by a place on the screen
card.py         The card beside the point that the pointer is on: its document, its page, how it begins
labels.py       Which names of regions are written on the map, and where: as many as do not stand in each other's way
marks.py        What is drawn over the points: names of regions, a question as a star, its hits by their numbers
overlay.py      A question and what was found for it, as they are drawn on the map
lists.py        What the map shows, as lists: its documents, which are its legend too, and its regions; and an
                answer's scores
rows.py         Documents and regions as rows of one kind: their item model, and how they are painted
wording.py      How much is on the map, in words
score_chart.py  The scores of a search's hits, drawn: a line for each step, from the first hit to the last
scores.py       A search of an answer -> the lines of its score plot: what each step made of each hit
"""
