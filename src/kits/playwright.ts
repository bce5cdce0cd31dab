import type {
	Expect,
	PlaywrightTestArgs,
	PlaywrightTestOptions,
	PlaywrightWorkerArgs,
	PlaywrightWorkerOptions,
	TestType,
} from '@playwright/test';
import type {DaemonScope} from './daemon.js';
import {dropInbox, failWithoutFramework, openKit, startTimeoutMs, type TestInbox, type Tinbox} from './kit.js';

/** Fixtures of a Playwright test: `test('…', async ({page, inbox, tinbox}) => {…})`. */
export type PlaywrightFixtures = {
	/** Inbox of this test, named after it. Created if the test uses it and deleted after the test. */
	inbox: TestInbox;
};

/** Worker fixtures and options. */
export type PlaywrightWorkerFixtures = {
	/** API client with the key of the inboxes' user. */
	tinbox: Tinbox;
	/** Option. `shared`: one daemon for all workers (default); `worker`: one daemon per worker. */
	tinboxDaemon: DaemonScope;
};

/** Loads the copy of Playwright that runs the tests. */
function playwright(): typeof import('@playwright/test') {
	try {
		return require('@playwright/test');
	} catch (error) {
		return failWithoutFramework('tinbox/playwright', '@playwright/test', error);
	}
}

const framework = playwright();

/** `expect` of Playwright. */
export const expect: Expect = framework.expect;

/** `test` of Playwright with an inbox for each test that uses one. A failed test gets a list of its messages as an attachment. */
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
