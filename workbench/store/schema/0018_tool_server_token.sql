-- The environment variable whose value is sent to an MCP server as its token; empty for none (model ToolServer).
ALTER TABLE tool_servers ADD COLUMN token_env ANY NOT NULL DEFAULT '';
