import {expect, test} from 'vitest';
import {eventStreamText} from '../../../src/http/api/events.js';

const ready = {id: '1', event: {type: 'ready', resumed: false}} as const;
const deleted = (inboxId: string) => ({id: '2', event: {type: 'inbox.deleted', inboxId}}) as const;

test('events follow one another in the form of an event stream, and none are a comment', () => {
	expect(eventStreamText([ready, deleted('i1')])).toBe(
		'id: 1\nevent: ready\ndata: {"type":"ready","resumed":false}\n\n' +
			'id: 2\nevent: inbox.deleted\ndata: {"type":"inbox.deleted","inbox_id":"i1"}\n\n',
	);
	expect(eventStreamText([])).toBe(':\n\n');
});
