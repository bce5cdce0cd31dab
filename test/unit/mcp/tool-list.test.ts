import {expect, test} from 'vitest';
import {mcpExtras} from '../../../src/contract/constants.js';
import {toolList} from '../../../src/mcp/session.js';

/** Few tokenizers need more than one token for so many characters of JSON. */
const charactersPerToken = 3.5;

test('the seven tools take an agent 1,500 tokens at most', () => {
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

test('what is allowed besides is there when it is allowed, and all of it takes 2,000 tokens at most', () => {
	expect(toolList(['send']).map(({name}) => name)).toContain('send_mail');
	expect(toolList(['send']).map(({name}) => name)).not.toContain('add_fault');
	expect(toolList(['faults']).map(({name}) => name)).toContain('add_fault');
	expect(JSON.stringify({tools: toolList(mcpExtras)}).length / charactersPerToken).toBeLessThanOrEqual(2000);
});
