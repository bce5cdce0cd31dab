import {mcpExtras} from '../../src/contract/constants.js';
import {toolList} from '../../src/mcp/session.js';

/** All MCP tools with their descriptions and schemas. */
export async function recordTools(): Promise<string> {
	return `${JSON.stringify(toolList(mcpExtras), undefined, '\t')}\n`;
}
