"""What goes over the network, and the switch that lets nothing: a dock of its own, below the chat.

dock.py         The dock of the network: below the chat, its content made when it is first shown
presenter.py    The decisions about the ledger of the network: what is listed, followed, exported; works without a
                window
pane.py         The pane of the network: the air gap, what crossed the border of this machine, and each request
picture.py      This machine, its border, and what crosses it: a line a host, as thick as much was sent there
table.py        The table of requests: one line each, the passages that went with it one click away
delegate.py     How a cell of the table of requests is painted: an icon that says where it went, then lines of text
model.py        The item model of the requests: those that were read of the ledger so far, the newest first
columns.py      The columns of the table of requests: what each says, how wide it is, and which are left out first
wording.py      Requests, their sums and the air gap in words; makes no widgets
air_gap.py      What may leave this machine: followed, switched, switched back; works without a window
air_gap_bar.py  The air gap as a bar: whether it is on, why, what may go where, and the button that shuts or opens it
consent.py      What setting something up means for the air gap: a sentence, and a button where the air gap is in its
                way
opening.py      What waits for the air gap to go off: done at once where it is off already
switching.py    The button that lets more leave this machine, wherever an error says that the air gap is in the way
border.py       The air gap in the window: its command, what is said of a change, and documents that it kept from
                being fetched
"""
