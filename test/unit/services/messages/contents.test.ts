import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import type {Content} from '../../../../src/domain/mail/message.js';
import type {Parser} from '../../../../src/mime/parser.js';
import {Contents} from '../../../../src/services/messages/contents.js';
import type {SourceStore} from '../../../../src/store/port.js';

const mebibyte = 1024 * 1024;

/**
 * Opens contents whose sources consist of their id; `sizes` has the number of characters of each parsed text.
 */
function openContents(sizes: Readonly<Record<string, number>>) {
	const parsed: string[] = [];
	const sources: Pick<SourceStore, 'read'> = {
		read: async id => (id in sizes ? Readable.from([Buffer.from(id)]) : undefined),
	};
	const parser: Pick<Parser, 'read' | 'attachment' | 'document'> = {
		read: async (_owner, source) => {
			const id = String((await source.toArray())[0]);
			parsed.push(id);
			if (id === 'broken') {
				throw new Error('The worker is gone.');
			}

			return contentOf('x'.repeat(sizes[id] ?? 0));
		},
		document: async () => new Uint8Array(),
		attachment: async () => undefined,
	};
	return {contents: new Contents(sources, parser), parsed};
}

const mail = (sourceId: string) => ({sourceId, size: sourceId.length});

function contentOf(text: string): Content {
	return {headers: [], text, html: '', attachments: [], codes: [], links: [], warnings: []};
}

test('concurrent and later readers of one mail share one parse', async () => {
	const {contents, parsed} = openContents({a: 1});
	const [first, second] = await Promise.all([contents.read('ada', mail('a')), contents.read('ada', mail('a'))]);
	expect(first).toBe(second);
	expect(await contents.read('ada', mail('a'))).toBe(first);
	expect(parsed).toEqual(['a']);
});

test('the least recently read mail is evicted when the cache is full', async () => {
	const {contents, parsed} = openContents({a: 3 * mebibyte, b: 3 * mebibyte, c: 3 * mebibyte});
	await contents.read('ada', mail('a'));
	await contents.read('ada', mail('b'));
	await contents.read('ada', mail('a'));
	await contents.read('ada', mail('c'));
	await contents.read('ada', mail('a'));
	expect(parsed).toEqual(['a', 'b', 'c']);
	await contents.read('ada', mail('b'));
	expect(parsed).toEqual(['a', 'b', 'c', 'b']);
});

test('a mail too large for the cache is parsed again and evicts no other', async () => {
	const {contents, parsed} = openContents({small: 1, huge: 20 * mebibyte});
	await contents.read('ada', mail('small'));
	await contents.read('ada', mail('huge'));
	await contents.read('ada', mail('huge'));
	await contents.read('ada', mail('small'));
	expect(parsed).toEqual(['small', 'huge', 'huge']);
});

test('a user who reads much does not evict mails of others', async () => {
	const {contents, parsed} = openContents({small: 1, a: 3 * mebibyte, b: 3 * mebibyte, c: 3 * mebibyte});
	await contents.read('bob', mail('small'));
	for (const id of ['a', 'b', 'c', 'a', 'b', 'c']) {
		await contents.read('ada', mail(id));
	}

	await contents.read('bob', mail('small'));
	expect(parsed).toEqual(['small', 'a', 'b', 'c', 'a', 'b', 'c']);
});

test('a parse error is reported, and the next reader tries again', async () => {
	const {contents, parsed} = openContents({broken: 1});
	await expect(contents.read('ada', mail('broken'))).rejects.toThrow('The worker is gone.');
	await expect(contents.read('ada', mail('broken'))).rejects.toThrow('The worker is gone.');
	expect(parsed).toEqual(['broken', 'broken']);
});

test('a prepared mail is parsed from the bytes in memory', async () => {
	const {contents, parsed} = openContents({});
	contents.prepare('ada', mail('fresh'), Buffer.from('fresh'));
	expect(await contents.read('ada', mail('fresh'))).toEqual(contentOf(''));
	expect(parsed).toEqual(['fresh']);
	expect(await contents.read('ada', mail('gone'))).toBeUndefined();
});

test('one mail per user is prepared at a time; others are parsed on first read', async () => {
	const {contents, parsed} = openContents({second: 1});
	contents.prepare('ada', mail('first'), Buffer.from('first'));
	contents.prepare('ada', mail('second'), Buffer.from('second'));
	contents.prepare('bob', mail('his'), Buffer.from('his'));
	await Promise.all([contents.read('ada', mail('first')), contents.read('bob', mail('his'))]);
	expect(parsed.toSorted()).toEqual(['first', 'his']);
	expect(await contents.read('ada', mail('second'))).toEqual(contentOf('x'));

	contents.prepare('ada', mail('third'), Buffer.from('third'));
	expect(await contents.read('ada', mail('third'))).toEqual(contentOf(''));
});

test('no user waits for the read of the same mail by another user', async () => {
	let end = (_: Content) => {};
	const parser: Pick<Parser, 'read' | 'attachment' | 'document'> = {
		read: async owner => (owner === 'ada' ? new Promise(resolve => (end = resolve)) : contentOf('read')),
		attachment: async () => undefined,
		document: async () => new Uint8Array(),
	};
	const contents = new Contents({read: async () => Readable.from([])}, parser);
	contents.prepare('ada', mail('shared'), Buffer.from('hi'));
	expect(await contents.read('bob', mail('shared'))).toEqual(contentOf('read'));
	end(contentOf('late'));
});
