import type {
	Expect,
	PlaywrightTestArgs,
	PlaywrightTestOptions,
	PlaywrightWorkerArgs,
	PlaywrightWorkerOptions,
	TestType,
} from '@playwright/test';
import type {DaemonScope} from './daemon.js';
import {withoutFramework} from './framework.js';
import type {TestInbox} from './inbox.js';
import {dropInbox, openKit, startTimeoutMs, type Tinbox} from './kit.js';

/** What tests of Playwright ask for: `test('…', async ({page, inbox, tinbox}) => {…})`. */
export type PlaywrightFixtures = {
	/** An inbox for this test alone, named after it. It is made when a test asks for it, and deleted after that. */
	inbox: TestInbox;
};

/** What a worker of Playwright has. */
export type PlaywrightWorkerFixtures = {
	/** The client of the API, bound to the user of these inboxes. */
	tinbox: Tinbox;
	/** An option: whether all workers share a daemon (`shared`), or each has its own (`worker`). */
	tinboxDaemon: DaemonScope;
};

/** Playwright has to be the very one that runs the tests. */
function playwright(): typeof import('@playwright/test') {
	try {
		return require('@playwright/test');
	} catch (error) {
		return withoutFramework('tinbox/playwright', '@playwright/test', error);
	}
}

const framework = playwright();

/** That of Playwright. */
export const expect: Expect = framework.expect;

/** `test` of Playwright with an inbox for each test that asks for one; the mail of a test that failed is attached to it. */
export const test: TestType<
	PlaywrightTestArgs & PlaywrightTestOptions & PlaywrightFixtures,
	PlaywrightWorkerArgs & PlaywrightWorkerOptions & PlaywrightWorkerFixtures
> = framework.test.extend<PlaywrightFixtures, PlaywrightWorkerFixtures>({
	tinboxDaemon: ['shared', {scope: 'worker', option: true}],
	tinbox: [
		async ({tinboxDaemon}, use) => {
			const {tinbox, close} = await openKit(tinboxDaemon);
			await use(tinbox);
			await close();
		},
		{scope: 'worker', timeout: startTimeoutMs},
	],
	inbox: async ({tinbox}, use, testInfo) => {
		const inbox = await tinbox.createInbox(testInfo.titlePath.slice(1).join(' > '));
		await use(inbox);
		if (testInfo.status !== testInfo.expectedStatus) {
			await testInfo.attach('mail', {body: await inbox.summary(), contentType: 'text/plain'});
		}

		dropInbox(inbox);
	},
});
