import type {DaemonScope} from './daemon.js';
import {withoutFramework} from './framework.js';
import type {TestInbox} from './inbox.js';
import {dropInbox, openKit, startTimeoutMs, type Tinbox} from './kit.js';

/** What `setupTinbox` takes. */
export type JestOptions = {
	/** Whether all workers share a daemon (`shared`, unless given), or each has its own (`worker`). */
	readonly daemon?: DaemonScope;
};

/** What `setupTinbox` gives. */
export type JestTinbox = {
	/** The inbox of the test that runs, named after it: made by the first call, the same for all others, and deleted after the test. */
	inbox(): Promise<TestInbox>;
	/** The client of the API, bound to the user of these inboxes. */
	tinbox(): Promise<Tinbox>;
};

/** The part of `@jest/globals` that is used here. */
type JestGlobals = {
	beforeAll(work: () => Promise<void>, timeoutMs: number): void;
	afterEach(work: () => Promise<void>): void;
	afterAll(work: () => Promise<void>): void;
	readonly expect: {getState(): {readonly currentTestName?: string}};
};

/** Jest answers this itself, whatever is installed, and nobody else does. */
function jestGlobals(): JestGlobals {
	try {
		return require('@jest/globals');
	} catch (error) {
		return withoutFramework('tinbox/jest', 'Jest', error);
	}
}

const {beforeAll, afterEach, afterAll, expect} = jestGlobals();

/**
 * Gives the tests of this file, or of this `describe`, inboxes; the console tells the mail of a test that failed. Tests that run at the
 * same time (`test.concurrent`) are one to the hooks of Jest: there, ask `tinbox` for an inbox (`createInbox`).
 */
export function setupTinbox({daemon = 'shared'}: JestOptions = {}): JestTinbox {
	let opened: ReturnType<typeof openKit> | undefined;
	let current: Promise<TestInbox> | undefined;
	const tinbox = async () => {
		opened ??= openKit(daemon);
		return (await opened).tinbox;
	};
	beforeAll(async () => void (await tinbox()), startTimeoutMs);
	afterEach(async () => {
		const inbox = await current?.catch(() => undefined);
		current = undefined;
		if (inbox && hasFailed()) {
			console.error(await inbox.summary());
		}

		if (inbox) {
			dropInbox(inbox);
		}
	});
	afterAll(async () => {
		const open = await opened?.catch(() => undefined);
		await open?.close();
	});
	return {
		tinbox,
		async inbox() {
			current ??= tinbox().then(async open => open.createInbox(expect.getState().currentTestName));
			return current;
		},
	};
}

/** Whether the test that runs has failed. Jest tells its hooks only here; where it does not, no test has. */
function hasFailed(): boolean {
	const key = Object.getOwnPropertySymbols(globalThis).find(({description}) => description === 'JEST_STATE_SYMBOL');
	const state: JestState | undefined = key && Reflect.get(globalThis, key);
	return (state?.currentlyRunningTest?.errors.length ?? 0) > 0;
}

type JestState = {readonly currentlyRunningTest?: {readonly errors: readonly unknown[]} | null};
