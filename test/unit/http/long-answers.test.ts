import {createServer, get, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, onTestFinished, test, vi} from 'vitest';
import {type ResponsePart, ResponseQueue, textChunks} from '../../../src/http/server/answers.js';

/** More than the buffers of a connection take. */
const long = 'A line of a long answer.\n'.repeat(480_000);

/** Serves the parts to whoever asks, the path being the user. */
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

test('an answer is its parts, and those that are nothing are left out', async () => {
	const part =
		(words: string): ResponsePart =>
		async () =>
			textChunks(words);
	const ask = await serve(() => [part('one '), async () => undefined, part(''), part(long), part(' last')]);
	expect(await text(await ask('ada'))).toBe(`one ${long} last`);
});

test('readers who do not read take turns and hold nothing, and go on where they were', async () => {
	const made: Record<string, number> = {ada: 0, bob: 0};
	const ask = await serve(user => [
		async () => {
			made[user] = (made[user] ?? 0) + 1;
			return textChunks(long);
		},
	]);
	// Their answers begin one after the other, although nobody reads the one before.
	const deaf = await Promise.all(Array.from({length: 5}, async () => ask('ada')));
	expect(made['ada']).toBe(5);
	expect(await text(await ask('bob'))).toBe(long);
	for (const reader of deaf) {
		expect(await text(reader)).toBe(long);
	}

	expect(made['ada']).toBeGreaterThanOrEqual(10);
});

test('a user has one part in memory at a time, and others have theirs', async () => {
	let making = 0;
	let most = 0;
	const release: Array<() => void> = [];
	const ask = await serve(user => [
		async () => {
			if (user === 'ada') {
				most = Math.max(most, ++making);
				await new Promise<void>(resolve => release.push(resolve));
				making--;
			}

			return textChunks(user);
		},
	]);
	const hers = Array.from({length: 3}, async () => text(await ask('ada')));
	await vi.waitFor(() => expect(release.length).toBe(1));
	expect(await text(await ask('bob'))).toBe('bob');
	for (let index = 0; index < hers.length; index++) {
		await vi.waitFor(() => expect(release.length).toBe(index + 1));
		release[index]?.();
	}

	expect(await Promise.all(hers)).toEqual(['ada', 'ada', 'ada']);
	expect(most).toBe(1);
});

test('what does not come out the same again breaks the answer off', async () => {
	let times = 0;
	const ask = await serve(() => [async () => textChunks(times++ === 0 ? long : 'nothing of it')]);
	const unread = await ask('ada');
	// The next answer begins only when the turn of that one is over.
	expect(await text(await ask('ada'))).toBe('nothing of it');
	await expect(text(unread)).rejects.toThrow();
	expect(times).toBe(3);
});

test('between two pieces others are heard, however fast the reader is', async () => {
	let turns = 0;
	const turn = setInterval(() => turns++, 0);
	onTestFinished(() => clearInterval(turn));
	const seen: number[] = [];
	const pieces = Array.from({length: 200}, () => () => {
		seen.push(turns);
		return 'x';
	});
	const ask = await serve(() => [async () => pieces]);
	await text(await ask('ada'));
	expect(new Set(seen).size).toBeGreaterThan(1);
});
