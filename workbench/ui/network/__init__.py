"""Requests over the network, and offline mode that blocks them: a separate dock below the chat.

presenter.py            Presenter of the network ledger: lists, follows and exports requests; works without a window
pane.py                 Pane of the network: offline mode, the diagram of the traffic, and the table of requests
traffic_diagram.py      Diagram of the traffic across the border of this machine: one line per host, the wider the more
                        was sent
request_table.py        Table of the requests, and the delegate that paints its cells
model.py                Item model of the requests in the network ledger, the columns of their table, and the wording of
                        requests and sums
offline_mode.py         Offline mode: its command, presenter and bar, the consent row, messages about changes, and
                        actions that wait until it is off
offline_mode_button.py  Button that opens offline mode further, shown next to an error that offline mode caused
"""
