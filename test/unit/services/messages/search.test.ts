import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {offsetOf} from '../../../../src/contract/constants.js';
import {
	conditionsOf,
	explain,
	holds,
	type MessageQuery,
	type SummaryFilter,
} from '../../../../src/domain/mail/filter.js';
import type {Message} from '../../../../src/domain/mail/message.js';
import type {Parser} from '../../../../src/mime/parser.js';
import {Contents} from '../../../../src/services/messages/contents.js';
import {maxCandidates, Search, type SearchProgress} from '../../../../src/services/messages/search.js';
import type {MessageStore, SourceStore} from '../../../../src/store/port.js';
import {someSummary} from '../../store/rows.js';

const firstPage = {page: 1, limit: 20};

/**
 * Inbox in memory. Each mail consists of one word, which is its source id; sources that start with "gone" are
 * lost.
 */
function openInbox() {
	const messages: Message[] = [];
	const searched: string[] = [];
	/** Mails between the start of their parsing and the end of their search. */
	const inMemory = {now: 0, max: 0};
	/** Summaries that are being compared with regular expressions. */
	const comparing = {now: 0, max: 0};
	/** Words of the messages that walks have passed. */
	const passed: string[] = [];
	const parser: Parser = {
		start: () => {},
		summarize: async () => someSummary(),
		read: async (_owner, source) => {
			inMemory.now++;
			inMemory.max = Math.max(inMemory.max, inMemory.now);
			return {
				headers: [],
				text: String(await source.toArray()),
				html: '',
				attachments: [],
				codes: [],
				links: [],
				warnings: [],
			};
		},
		document: async () => new Uint8Array(),
		attachment: async () => undefined,
		linksLike: async () => [],
		explain: async (_owner, {text}, {contains = ''}) => {
			searched.push(text);
			inMemory.now = 0;
			return text.includes(contains) ? [] : [`It says ${text}.`];
		},
		explainMessages: async (_owner, messages, filter) =>
			messages.map(message => explain(conditionsOf(filter), message)),
		fit: async (_owner, messages, filter) => {
			comparing.now += messages.length;
			comparing.max = Math.max(comparing.max, comparing.now);
			await new Promise(setImmediate);
			comparing.now -= messages.length;
			return messages.map(message => holds(conditionsOf(filter), message));
		},
		fitMatches: async (_owner, matches) => matches.map(() => true),
		patternProblem: async () => undefined,
		composeContent: async () => ({problem: 'There are no templates.'}),
		composeFromTemplate: async () => ({problem: 'There are no templates.'}),
		templateProblem: async () => undefined,
		stop: async () => {},
	};
	const sources: SourceStore = {
		stage: async () => Promise.reject(new Error('Nothing is stored here.')),
		readStaged: async () => Promise.reject(new Error('Nothing is stored here.')),
		discard: async () => {},
		read: async id => (id.startsWith('gone') ? undefined : Readable.from([Buffer.from(id)])),
	};
	const contents = new Contents(sources, parser);
	const rowsOf = (filter: SummaryFilter, seen = 0) => {
		const {after = '', since = ''} = filter;
		return messages
			.slice(seen)
			.toReversed()
			.filter(({id, receivedAt}) => id > after && receivedAt >= since)
			.filter(message => holds(conditionsOf(filter), message));
	};
	const store: Pick<MessageStore, 'list' | 'walk' | 'newest'> = {
		list: async (_inboxId, range, page) => rowsOf(range).slice(offsetOf(page), offsetOf(page) + page.limit),
		walk: async function* (_inboxId, filter, seen) {
			for (const row of rowsOf({}, seen)) {
				passed.push(row.sourceId);
				yield rowsOf(filter, seen).filter(({id}) => id === row.id);
			}
		},
		newest: async () => messages.length,
	};
	const receive = (...words: readonly string[]) => {
		for (const word of words) {
			const id = String(messages.length).padStart(6, '0');
			messages.push({
				id,
				inboxId: 'i',
				sourceId: word,
				size: 1,
				envelope: {from: 'a@b.test', to: []},
				session: null,
				to: 'i@b.test',
				receivedAt: `2026-01-01T00:00:00.${id}Z`,
				summary: {from: '', to: [], cc: [], replyTo: [], subject: word, messageId: ''},
			});
		}
	};
	const search = new Search(store, contents, parser);
	const find = async (contains: string, progress: SearchProgress = {}, page = firstPage) =>
		(await search.find('ada', 'i', {contains}, page, progress)).map(({sourceId}) => sourceId);
	const list = async (filter: MessageQuery, progress: SearchProgress = {}, page = firstPage) =>
		(await search.find('ada', 'i', filter, page, progress)).map(({sourceId}) => sourceId);
	return {receive, search, find, list, searched, inMemory, comparing, passed};
}

const words = (count: number, word: string) => Array.from({length: count}, (_, index) => `${word}-${index}`);

describe('a search', () => {
	test('finds the newest mails first and reads no further than its page', async () => {
		const {receive, find, searched} = openInbox();
		receive('yes-1', 'no-1', 'yes-2', 'yes-3', 'no-2');
		expect(await find('yes', {}, {page: 1, limit: 2})).toEqual(['yes-3', 'yes-2']);
		expect(searched).toEqual(['no-2', 'yes-3', 'yes-2']);
		expect(await find('yes', {}, {page: 2, limit: 2})).toEqual(['yes-1']);
	});

	test('reads a limited number of older mails; later calls read everything newer once', async () => {
		const {receive, find, searched} = openInbox();
		receive('yes', ...words(maxCandidates, 'no'));
		const progress: SearchProgress = {};
		expect(await find('yes', progress)).toEqual([]);
		expect(searched).toHaveLength(maxCandidates);
		receive('yes-new', ...words(maxCandidates + 10, 'burst'));
		expect(await find('yes', progress)).toEqual(['yes-new']);
		expect(searched).toHaveLength(maxCandidates + maxCandidates + 11);
	});

	test('reads all new mails of an inbox that was nearly empty', async () => {
		const {receive, find} = openInbox();
		receive('no');
		const progress: SearchProgress = {};
		expect(await find('yes', progress)).toEqual([]);
		receive('yes', ...words(maxCandidates + 10, 'burst'));
		expect(await find('yes', progress)).toEqual(['yes']);
	});

	test('skips mail that was deleted meanwhile', async () => {
		const {receive, find} = openInbox();
		receive('yes', 'gone-yes');
		expect(await find('yes')).toEqual(['yes']);
	});

	test('holds one mail per user in memory at a time', async () => {
		const {receive, find, inMemory} = openInbox();
		receive(...words(20, 'no'));
		expect((await Promise.all(words(10, 'yes').map(async word => find(word)))).flat()).toEqual([]);
		expect(inMemory.max).toBe(1);
	});

	test.each([{q: 'yes'}, {subject: '/yes/', match: 'pattern'}, {contains: 'yes'}] as const)(
		'without a result stores only its position and later reads only newer messages: %j',
		async filter => {
			const {receive, list, passed} = openInbox();
			receive(...words(50, 'no'));
			const progress: SearchProgress = {};
			expect(await list(filter, progress)).toEqual([]);
			expect(progress).toEqual({seen: 50});
			receive('no-new', 'yes');
			passed.length = 0;
			expect(await list(filter, progress)).toEqual(['yes']);
			expect(passed).toEqual(['yes', 'no-new']);
		},
	);

	test('for a later page reads everything again', async () => {
		const {receive, list} = openInbox();
		receive('yes-1', 'no', 'yes-2');
		const progress: SearchProgress = {};
		const page = {page: 2, limit: 2};
		expect(await list({q: 'yes'}, progress, page)).toEqual([]);
		receive('yes-3');
		expect(await list({q: 'yes'}, progress, page)).toEqual(['yes-1']);
	});

	test('compares the summaries of one user in turn', async () => {
		const {receive, list, comparing} = openInbox();
		receive(...words(20, 'no'));
		await Promise.all(words(10, 'yes').map(async word => list({subject: `/${word}/`, match: 'pattern'})));
		expect(comparing).toEqual({now: 0, max: 1});
	});

	test('in summaries stops when its signal aborts', async () => {
		const {receive, list, passed} = openInbox();
		receive(...words(20, 'no'));
		expect(await list({q: 'yes'}, {signal: AbortSignal.abort()})).toEqual([]);
		expect(passed).toHaveLength(1);
	});

	test('in mails stops when its signal aborts', async () => {
		const {receive, find, searched} = openInbox();
		receive('no', 'no');
		expect(await find('yes', {signal: AbortSignal.abort()})).toEqual([]);
		expect(searched).toEqual([]);
	});
});

describe('near misses', () => {
	const reasonsOf = async ({search}: ReturnType<typeof openInbox>, query: MessageQuery, limit: number) =>
		(await search.misses('ada', 'i', query, limit, new AbortController().signal)).map(({message, reasons}) => [
			message.sourceId,
			...reasons,
		]);

	test('have reasons, start with the nearest, and contain no match', async () => {
		const inbox = openInbox();
		inbox.receive('far', 'near yes', 'near', 'hit yes');
		expect(await reasonsOf(inbox, {subject: 'hit', contains: 'yes'}, 10)).toEqual([
			['near yes', 'The subject is "near yes", not containing "hit".'],
			['near', 'The subject is "near", not containing "hit".', 'It says near.'],
			['far', 'The subject is "far", not containing "hit".', 'It says far.'],
		]);
		expect(await reasonsOf(inbox, {subject: 'hit', contains: 'yes'}, 1)).toHaveLength(1);
	});

	test('include an early message only if it matches otherwise', async () => {
		const inbox = openInbox();
		inbox.receive('hit', 'other', 'late');
		expect(await reasonsOf(inbox, {subject: 'hit', after: '000001'}, 10)).toEqual([
			['late', 'The subject is "late", not containing "hit".'],
			['hit', 'It is not newer than the message given as "after".'],
		]);
		const since = '2026-01-01T00:00:00.000002Z';
		expect(await reasonsOf(inbox, {q: 'hit', since}, 10)).toContainEqual(['hit', `It was received before ${since}.`]);
	});
});
