"""MCP servers as tools of agents; the official SDK is imported only when a server is used.

server_connection.py  Connection of one run to one MCP server: opened on first use, reopened after it ended, and closed
                      with the run
server_tools.py       The tools of an MCP server as tools of a run, and the text of their results
"""
