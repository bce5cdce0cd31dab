import type {DaemonScope} from './daemon.js';
import {dropInbox, failWithoutFramework, openKit, startTimeoutMs, type TestInbox, type Tinbox} from './kit.js';

/** Options of `setupTinbox`. */
export type JestOptions = {
	/** `shared`: one daemon for all workers (default); `worker`: one daemon per worker. */
	readonly daemon?: DaemonScope;
};

/** Result of `setupTinbox`. */
export type JestTinbox = {
	/** Inbox of the current test, named after it. Created by the first call in a test and deleted after the test. */
	inbox(): Promise<TestInbox>;
	/** API client with the key of the inboxes' user. */
	tinbox(): Promise<Tinbox>;
};

/** The part of `@jest/globals` that is used here. */
type JestGlobals = {
	beforeAll(work: () => Promise<void>, timeoutMs: number): void;
	afterEach(work: () => Promise<void>): void;
	afterAll(work: () => Promise<void>): void;
	readonly expect: {getState(): {readonly currentTestName?: string}};
};

/** Only Jest resolves `@jest/globals`, whether the package is installed or not. */
function jestGlobals(): JestGlobals {
	try {
		return require('@jest/globals');
	} catch (error) {
		return failWithoutFramework('tinbox/jest', 'Jest', error);
	}
}

const {beforeAll, afterEach, afterAll, expect} = jestGlobals();

/**
 * Provides an inbox for each test of this file or `describe`. After a failed test, the console lists its messages. The hooks of
 * Jest cannot distinguish tests that run concurrently (`test.concurrent`): use `createInbox` of `tinbox` there.
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

/** True if the current test failed. Jest exposes this to hooks only in an undocumented global. */
function hasFailed(): boolean {
	const key = Object.getOwnPropertySymbols(globalThis).find(({description}) => description === 'JEST_STATE_SYMBOL');
	const state: JestState | undefined = key && Reflect.get(globalThis, key);
	return (state?.currentlyRunningTest?.errors.length ?? 0) > 0;
}

type JestState = {readonly currentlyRunningTest?: {readonly errors: readonly unknown[]} | null};
