import {createServer, get, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, onTestFinished, test, vi} from 'vitest';
import {type ResponsePart, ResponseQueue, textChunks} from '../../../src/http/server/responses.js';

/** More bytes than the buffers of a connection hold. */
const long = 'A line of a long answer.\n'.repeat(480_000);

/** Starts a server that responds with the parts for the user in the path. */
async function serve(
	partsFor: (user: string) => readonly ResponsePart[],
): Promise<(user: string) => Promise<IncomingMessage>> {
	const answers = new ResponseQueue(50);
	const server = createServer((request, response) => {
		const user = request.url?.slice(1) ?? '';
		answers.send(user, response, partsFor(user)).catch(() => response.destroy());
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close().closeAllConnections();
	});
	const {port} = server.address() as AddressInfo;
	return async user => new Promise(resolve => get({port, path: `/${user}`, agent: false}, resolve));
}

test('a response consists of its parts, without empty ones', async () => {
	const part =
		(words: string): ResponsePart =>
		async () =>
			textChunks(words);
	const request = await serve(() => [part('one '), async () => undefined, part(''), part(long), part(' last')]);
	expect(await text(await request('ada'))).toBe(`one ${long} last`);
});

test('stalled readers take turns, hold nothing in memory, and continue where they stopped', async () => {
	const made: Record<string, number> = {ada: 0, bob: 0};
	const request = await serve(user => [
		async () => {
			made[user] = (made[user] ?? 0) + 1;
			return textChunks(long);
		},
	]);
	// Responses start one after the other, although the previous ones are not read.
	const stalled = await Promise.all(Array.from({length: 5}, async () => request('ada')));
	expect(made['ada']).toBe(5);
	expect(await text(await request('bob'))).toBe(long);
	for (const reader of stalled) {
		expect(await text(reader)).toBe(long);
	}

	expect(made['ada']).toBeGreaterThanOrEqual(10);
});

test('each user has one part in memory at a time, independent of other users', async () => {
	let making = 0;
	let max = 0;
	const release: Array<() => void> = [];
	const request = await serve(user => [
		async () => {
			if (user === 'ada') {
				max = Math.max(max, ++making);
				await new Promise<void>(resolve => release.push(resolve));
				making--;
			}

			return textChunks(user);
		},
	]);
	const responses = Array.from({length: 3}, async () => text(await request('ada')));
	await vi.waitFor(() => expect(release.length).toBe(1));
	expect(await text(await request('bob'))).toBe('bob');
	for (let index = 0; index < responses.length; index++) {
		await vi.waitFor(() => expect(release.length).toBe(index + 1));
		release[index]?.();
	}

	expect(await Promise.all(responses)).toEqual(['ada', 'ada', 'ada']);
	expect(max).toBe(1);
});

test('a part that differs when it is read again aborts the response', async () => {
	let times = 0;
	const request = await serve(() => [async () => textChunks(times++ === 0 ? long : 'nothing of it')]);
	const unread = await request('ada');
	// The next response starts only after the turn of the unread one.
	expect(await text(await request('ada'))).toBe('nothing of it');
	await expect(text(unread)).rejects.toThrow();
	expect(times).toBe(3);
});

test('other work runs between two chunks, even if the reader is fast', async () => {
	let turns = 0;
	const turn = setInterval(() => turns++, 0);
	onTestFinished(() => clearInterval(turn));
	const seen: number[] = [];
	const pieces = Array.from({length: 200}, () => () => {
		seen.push(turns);
		return 'x';
	});
	const request = await serve(() => [async () => pieces]);
	await text(await request('ada'));
	expect(new Set(seen).size).toBeGreaterThan(1);
});
