import {expect, onTestFinished, test} from 'vitest';
import type {Caller, Headers, Request, World} from './world.js';

export type Row = {
	/** What the row shows, as the rest of a sentence that begins with the request. */
	readonly says: string;
	readonly as: Caller;
	/** Instead of the path of the group. */
	readonly path?: string;
	/** What has happened before. */
	readonly given?: (world: World) => Promise<void>;
	readonly body?: object;
	readonly status: number;
	readonly answer: unknown;
	readonly headers?: Headers;
	/** What holds after it. */
	readonly afterwards?: (world: World) => Promise<void>;
	/** It looks at the time, and is for worlds only whose clock stands still. */
	readonly needsClock?: true;
};

/** Makes a test of each row. */
export type TestRows = (request: Request, rows: readonly Row[]) => void;

/** One test for each row, each in a world of its own. */
export function rowsIn(open: () => Promise<World>): TestRows {
	return (request, rows) => {
		for (const row of rows) {
			test(row.says, async () => {
				const world = await open();
				onTestFinished(async () => world.close());
				await check(request, row, world);
			});
		}
	};
}

/**
 * The same in worlds that are slow to make and whose clock goes on, for a request that the same code answers as in others: of its
 * rows those that are chosen, and none that looks at the time.
 */
export function someRowsIn(open: () => Promise<World>, choose: (rows: readonly Row[]) => readonly Row[]): TestRows {
	const testRows = rowsIn(open);
	return (request, rows) => testRows(request, choose(rows.filter(({needsClock}) => !needsClock)));
}

async function check(request: Request, row: Row, world: World): Promise<void> {
	const {as, path, given, body, status, answer, headers = {}, afterwards} = row;
	await given?.(world);
	const [method, usualPath] = request.split(' ');
	const response = await world.send(`${method} ${path ?? usualPath}` as Request, as, body);
	expect([response.status, await response.json()]).toEqual([status, answer]);
	expect(response.headers.get('Content-Type')).toMatch(
		status < 400 ? /^application\/json\b/ : /^application\/problem\+json$/,
	);
	expect(response.headers.has('WWW-Authenticate')).toBe(status === 401);
	expect(Object.fromEntries(response.headers)).toMatchObject(headers);
	await afterwards?.(world);
}
