"""MCP servers -> tools of agents: the protocol is the official SDK's, imported only when a server is asked.

server_connection.py  One MCP server for one run: reached when it is first asked, reached anew when it has ended, and
                      ended in the end
server_tools.py       The tools of an MCP server as tools of a run, and the text of their results
"""
