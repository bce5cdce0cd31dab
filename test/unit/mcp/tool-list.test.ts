import {expect, test} from 'vitest';
import {mcpExtras} from '../../../src/contract/constants.js';
import {toolList} from '../../../src/mcp/session.js';

/** Minimum number of JSON characters per token in common tokenizers. */
const charactersPerToken = 3.5;

test('the seven default tools take at most 1,500 tokens', () => {
	const tools = toolList([]);
	expect(tools.map(({name}) => name).sort()).toEqual([
		'create_inbox',
		'delete_inbox',
		'get_code',
		'get_link',
		'get_message',
		'list_messages',
		'wait_for_message',
	]);
	expect(JSON.stringify({tools}).length / charactersPerToken).toBeLessThanOrEqual(1500);
});

test('optional tools are listed only if allowed, and all tools together take at most 2,000 tokens', () => {
	expect(toolList(['send']).map(({name}) => name)).toContain('send_mail');
	expect(toolList(['send']).map(({name}) => name)).not.toContain('add_fault');
	expect(toolList(['faults']).map(({name}) => name)).toContain('add_fault');
	expect(JSON.stringify({tools: toolList(mcpExtras)}).length / charactersPerToken).toBeLessThanOrEqual(2000);
});
