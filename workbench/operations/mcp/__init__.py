"""The library as an MCP server for other programs.

mcp_server.py  MCP server of the library: search and read tools for other programs, and documents as resources
mcp_access.py  Who may ask the library's MCP server over HTTP: programs of this machine that send its token
"""
