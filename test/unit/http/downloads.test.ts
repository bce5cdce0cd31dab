import {readFile} from 'node:fs/promises';
import type {Readable} from 'node:stream';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {MessageBody} from '../../../src/contract/messages.js';
import {openTinbox, type Person, Tinbox} from '../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

/** Delivers a mail and returns its message with a function that downloads a path below it. */
async function deliverMail(source: string | Buffer) {
	const {inbox} = await tinbox.services.inboxes.create(ann.user, {
		name: null,
		teamId: null,
		address: null,
		ttlSeconds: null,
	});
	await tinbox.deliver(inbox.address, source);
	const path = `/inboxes/${inbox.id}/messages`;
	const [message] = (await (await tinbox.request('GET', path, {key: ann.key})).json()) as readonly MessageBody[];
	if (!message) {
		throw new Error('Nothing was delivered.');
	}

	return {message, get: (below: string) => tinbox.request('GET', `${path}/${message.id}/${below}`, {key: ann.key})};
}

/** Mail with one attachment that has these header fields. */
function withAttachment(type: string, disposition: string, content = 'content'): string {
	return [
		'Subject: x',
		'MIME-Version: 1.0',
		'Content-Type: multipart/mixed; boundary=b',
		'',
		'--b',
		'',
		'text',
		'--b',
		`Content-Type: ${type}`,
		`Content-Disposition: ${disposition}`,
		'',
		content,
		'--b--',
		'',
	].join('\r\n');
}

function expectHarmless(response: Response): void {
	expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; filename/);
	expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
	expect(response.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'");
	expect(response.headers.get('Cache-Control')).toBe('no-store');
}

test('a source is downloaded byte for byte, as a file', async () => {
	const source = Buffer.concat([
		await readFile(new URL('../../fixtures/mail/8-bit.eml', import.meta.url)),
		Buffer.of(0, 255),
	]);
	const {message, get} = await deliverMail(source);
	const response = await get('raw');
	expect(response.status).toBe(200);
	expect(response.headers.get('Content-Type')).toBe('message/rfc822');
	expect(response.headers.get('Content-Length')).toBe(String(source.length));
	expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${message.id}.eml"`);
	expectHarmless(response);
	expect(Buffer.from(await response.arrayBuffer())).toEqual(source);
});

test('a large source is sent from disk', async () => {
	const source = Buffer.alloc(5 * 1024 * 1024, 'Subject: large\r\n\r\nlines\r\n');
	const {get} = await deliverMail(source);
	expect(Buffer.from(await (await get('raw')).arrayBuffer()).equals(source)).toBe(true);
});

test('unread downloads keep no file open and are complete once they are read', async () => {
	const opened: Readable[] = [];
	const own = await openTinbox({
		wrapStore: store => ({
			...store,
			sources: {
				...store.sources,
				async read(...asked) {
					const source = await store.sources.read(...asked);
					opened.push(...(source ? [source] : []));
					return source;
				},
			},
		}),
	});
	const {user, key} = await own.user('ann');
	const {inbox} = await own.services.inboxes.create(user, {name: null, teamId: null, address: null, ttlSeconds: null});
	const source = Buffer.alloc(8 * 1024 * 1024, 'Subject: large\r\n\r\nlines\r\n');
	await own.deliver(inbox.address, source);
	const path = `/inboxes/${inbox.id}/messages`;
	const [message] = (await (await own.request('GET', path, {key})).json()) as readonly MessageBody[];
	const get = async () => own.request('GET', `${path}/${message?.id}/raw`, {key});
	opened.length = 0;
	const unread = await Promise.all(Array.from({length: 5}, get));
	await vi.waitFor(() => expect(opened.every(({closed}) => closed)).toBe(true), 10_000);
	for (const response of [await get(), ...unread]) {
		expect(Buffer.from(await response.arrayBuffer()).equals(source)).toBe(true);
	}
});

test('an attachment is downloaded decoded, as a file', async () => {
	const {message, get} = await deliverMail(
		await readFile(new URL('../../fixtures/mail/attachments.eml', import.meta.url)),
	);
	for (const attachment of message.attachments) {
		const response = await get(`attachments/${attachment.id}`);
		expect(response.status).toBe(200);
		expectHarmless(response);
		expect(response.headers.get('Content-Type')).toBe(attachment.content_type);
		expect((await response.arrayBuffer()).byteLength).toBe(attachment.size);
	}

	expect(message.attachments).not.toEqual([]);
});

test.each(['0', '99', 'x', '01', '1.0', '..%2F1', '%00'])('there is no attachment with the id %s', async id => {
	const {get} = await deliverMail(withAttachment('text/plain', 'attachment'));
	expect((await get(`attachments/${id}`)).status).toBe(404);
});

describe('an attachment', () => {
	test.each([
		{filename: '"../../etc/passwd"', sent: 'filename="passwd"'},
		{filename: '"C:\\\\Windows\\\\evil.exe"', sent: 'filename="evil.exe"'},
		{filename: '".bashrc"', sent: 'filename="bashrc"'},
		{filename: '""', sent: 'filename="attachment-1"'},
		{filename: '"a\u001b[31mb.txt"', sent: 'filename="ab.txt"'},
		{filename: '"a;b=c.txt"', sent: 'filename="a;b=c.txt"'},
		{filename: '"häß.txt"', sent: 'filename="h_.txt"'},
	])('with the name $filename is downloaded with a safe name', async ({filename, sent}) => {
		const {get} = await deliverMail(withAttachment('text/plain', `attachment; filename=${filename}`));
		const response = await get('attachments/1');
		expect(response.status).toBe(200);
		expectHarmless(response);
		if (!/[^\u0000-\u007f]/.test(filename)) {
			expect(response.headers.get('Content-Disposition')).toBe(`attachment; ${sent}`);
		}
	});

	test('with a name beyond ASCII is downloaded in the form of RFC 8187', async () => {
		const {get} = await deliverMail(
			withAttachment('text/plain', "attachment; filename*=UTF-8''na%C3%AFve%20%F0%9F%98%80.txt"),
		);
		const disposition = (await get('attachments/1')).headers.get('Content-Disposition');
		expect(disposition).toContain("filename*=UTF-8''na%C3%AFve%20%F0%9F%98%80.txt");
	});

	test.each(['text/html', 'image/svg+xml', 'application/javascript'])(
		'of type %s is downloaded with headers that prevent execution',
		async type => {
			const {get} = await deliverMail(withAttachment(type, 'attachment; filename=x', '<script>alert(1)</script>'));
			const response = await get('attachments/1');
			expectHarmless(response);
			expect(response.headers.get('Content-Type')).toBe(type);
		},
	);

	test.each(['nonsense', 'a/b/c', 'text/ü', 'text/plain\u0000'])(
		'of the invalid type %j is downloaded with a valid type',
		async type => {
			const {get} = await deliverMail(withAttachment(type, 'attachment; filename=x'));
			const response = await get('attachments/1');
			expect(response.status).toBe(200);
			expect(response.headers.get('Content-Type')).toMatch(/^[\w/.+-]+$/);
			expectHarmless(response);
		},
	);
});
