import {expect, test} from 'vitest';
import {eventStreamTexts} from '../../src/http/present/events.js';

const ready = {id: '1', event: {type: 'ready', resumed: false}} as const;
const deleted = (inboxId: string) => ({id: '2', event: {type: 'inbox.deleted', inboxId}}) as const;

test('few events are one text, and none are a comment', () => {
	const texts = [...eventStreamTexts([ready, deleted('i1')])];
	expect(texts).toEqual([
		'id: 1\nevent: ready\ndata: {"type":"ready","resumed":false}\n\n' +
			'id: 2\nevent: inbox.deleted\ndata: {"type":"inbox.deleted","inbox_id":"i1"}\n\n',
	]);
	expect([...eventStreamTexts([])]).toEqual([':\n\n']);
});

test('many large events are several texts, so that none is large', () => {
	const events = Array.from({length: 50}, () => deleted('x'.repeat(40_000)));
	const texts = [...eventStreamTexts(events)];
	expect(texts.join('').match(/^id: 2$/gm)).toHaveLength(50);
	expect(Math.max(...texts.map(({length}) => length))).toBeLessThan(128 * 1024);
});
