import type {TestAPI} from 'vitest';
import type {DaemonScope} from './daemon.js';
import {dropInbox, failWithoutFramework, openKit, type TestInbox, type Tinbox} from './kit.js';

/** Fixtures of a Vitest test: `test('…', async ({inbox, tinbox}) => {…})`. */
export type VitestFixtures = {
	/** Inbox of this test, named after it. Created if the test uses it and deleted after the test. */
	inbox: TestInbox;
	/** API client with the key of the inboxes' user. */
	tinbox: Tinbox;
	/** `shared`: one daemon for all workers (default); `worker`: one daemon per worker. */
	tinboxDaemon: DaemonScope;
};

const {test: base} = await import('vitest').catch(error => failWithoutFramework('tinbox/vitest', 'Vitest', error));

/**
 * `test` of Vitest with an inbox for each test that uses one. After a failed test, the console lists its messages. Extend it like
 * any other `test`. To set the option, call `test.override({tinboxDaemon: 'worker'})` at the top of a file.
 */
export const test: TestAPI<VitestFixtures> = base.extend<VitestFixtures>({
	tinboxDaemon: ['shared', {scope: 'worker'}],
	tinbox: [
		async ({tinboxDaemon}, use) => {
			const {tinbox, close} = await openKit(tinboxDaemon);
			await use(tinbox);
			await close();
		},
		{scope: 'worker'},
	],
	inbox: async ({tinbox, task}, use) => {
		const inbox = await tinbox.createInbox(task.fullTestName);
		await use(inbox);
		if ((task.result?.state === 'fail') !== (task.fails ?? false)) {
			console.error(await inbox.summary());
		}

		dropInbox(inbox);
	},
});
