"""What goes over the network, and the switch that lets nothing: a dock of its own, below the chat.

dock.py       the dock, its content made when it is first shown
presenter.py  the decisions: listed, followed live, narrowed, exported, cleared; passages opened
pane.py       the switch, the picture, what is asked for, the table
picture.py    this machine, its border, and what crosses it, drawn
table.py      the requests as a table, delegate.py how its cells are painted
model.py      the rows, columns.py what each column says of a request
wording.py    the words for all of it
air_gap.py    whether anything may leave this machine, without a window
air_gap_bar.py  the same as a bar with its button; consent.py: what setting something up would change about it
opening.py    what waits for it to go off; switching.py: the button for that beside an error
border.py     its command, and what the window says of it
"""
