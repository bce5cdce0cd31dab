import {expect, onTestFinished, test} from 'vitest';
import type {Caller, Headers, Request, World} from './world.js';

export type Row = {
	/** End of the test title, which begins with the request. */
	readonly title: string;
	readonly as: Caller;
	/** Replaces the path of the group. */
	readonly path?: string;
	/** Prepares the world. */
	readonly before?: (world: World) => Promise<void>;
	readonly body?: object;
	readonly status: number;
	readonly expected: unknown;
	readonly headers?: Headers;
	/** Checks the world afterwards. */
	readonly after?: (world: World) => Promise<void>;
	/** True for rows that need a clock that stands still. */
	readonly needsClock?: true;
};

/** Creates a test for each row. */
export type TestRows = (request: Request, rows: readonly Row[]) => void;

/** Creates a test for each row, each with a new world. */
export function testAllRows(open: () => Promise<World>): TestRows {
	return (request, rows) => {
		for (const row of rows) {
			test(row.title, async () => {
				const world = await open();
				onTestFinished(async () => world.close());
				await check(request, row, world);
			});
		}
	};
}

/**
 * Like `rowsIn`, for worlds that are slow to open and have a real clock: tests only the chosen rows, and none
 * that needs a clock.
 */
export function testSelectedRows(
	open: () => Promise<World>,
	choose: (rows: readonly Row[]) => readonly Row[],
): TestRows {
	const testRows = testAllRows(open);
	return (request, rows) => testRows(request, choose(rows.filter(({needsClock}) => !needsClock)));
}

async function check(request: Request, row: Row, world: World): Promise<void> {
	const {as, path, before, body, status, expected, headers = {}, after} = row;
	await before?.(world);
	const [method, usualPath] = request.split(' ');
	const response = await world.send(`${method} ${path ?? usualPath}` as Request, as, body);
	expect([response.status, await response.json()]).toEqual([status, expected]);
	expect(response.headers.get('Content-Type')).toMatch(
		status < 400 ? /^application\/json\b/ : /^application\/problem\+json$/,
	);
	expect(response.headers.has('WWW-Authenticate')).toBe(status === 401);
	expect(Object.fromEntries(response.headers)).toMatchObject(headers);
	await after?.(world);
}
