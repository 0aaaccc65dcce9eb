"""The library as an MCP server for other programs.

mcp_server.py  MCP server of the library: search and read tools for other programs, and documents as resources
mcp_access.py  Access check of the MCP server over HTTP: only local programs that send its token may send requests
"""
