"""MCP servers -> tools of agents: the protocol is the official SDK's, imported only when a server is asked.

connection.py  One MCP server for one run: reached when it is first asked, reached anew when it has ended, and ended
               in the end
results.py     What an MCP tool answers -> text; pictures and sounds are named, not shown
tools.py       An MCP server's tools as tools of a run, under names that every model's API takes
"""
