import {mcpExtras} from '../../src/contract/constants.js';
import {toolList} from '../../src/mcp/session.js';

/** Every tool that an agent can be given, with its description and schemas. */
export async function recordTools(): Promise<string> {
	return `${JSON.stringify(toolList(mcpExtras), undefined, '\t')}\n`;
}
