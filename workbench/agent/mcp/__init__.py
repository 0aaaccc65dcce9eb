"""MCP servers -> tools of agents: the protocol is the official SDK's, imported only when a server is asked.

connection.py  one server: started or reached, asked, and ended
results.py     what it answers -> text for the model; pictures are named, not shown
tools.py       its tools under names that every model's API takes
"""
