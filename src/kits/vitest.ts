import type {TestAPI} from 'vitest';
import type {DaemonScope} from './daemon.js';
import {withoutFramework} from './framework.js';
import type {TestInbox} from './inbox.js';
import {dropInbox, openKit, type Tinbox} from './kit.js';

/** What tests of Vitest ask for: `test('…', async ({inbox, tinbox}) => {…})`. */
export type VitestFixtures = {
	/** An inbox for this test alone, named after it. It is made when a test asks for it, and deleted after that. */
	inbox: TestInbox;
	/** The client of the API, bound to the user of these inboxes. */
	tinbox: Tinbox;
	/** Whether all workers share a daemon (`shared`), or each has its own (`worker`). */
	tinboxDaemon: DaemonScope;
};

const {test: base} = await import('vitest').catch(error => withoutFramework('tinbox/vitest', 'Vitest', error));

/**
 * `test` of Vitest with an inbox for each test that asks for one; the console tells the mail of a test that failed. It is extended
 * as any other, and `test.override({tinboxDaemon: 'worker'})` at the top of a file sets the option.
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
