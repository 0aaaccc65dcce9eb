"""What goes over the network, and the switch that lets nothing: a dock of its own, below the chat.

network_dock.py        The dock of the network: below the chat, its content made when it is first shown
presenter.py           The decisions about the ledger of the network: what is listed, followed, exported; works
                       without a window
pane.py                The pane of the network: the air gap, what crossed the border of this machine, and each request
traffic_diagram.py     This machine, its border, and what crosses it: a line a host, as thick as much was sent there
request_table.py       Table of the requests, and the delegate that paints its cells
model.py               Item model of the requests in the network ledger, and the columns of their table
request_wording.py     Requests, their sums and the air gap in words; makes no widgets
air_gap.py             The air gap: presenter that switches it, its bar, the consent line beside a set-up
air_gap_button.py      The button that lets more leave this machine, wherever an error says that the air gap is in the
                       way
air_gap_controller.py  The air gap in the window: its command, what is said of a change, and documents that it kept
                       from being fetched
"""
