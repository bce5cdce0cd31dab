import {createClient, type TestClient} from '../client/suite.js';
import {plainLine} from '../lib/text/sanitize.js';
import {type DaemonScope, findDaemon} from './daemon.js';
import {type TestInbox, testInbox} from './inbox.js';

/** Client of a test suite with the API key of its user. */
export type Tinbox = TestClient & {
	/** Creates another inbox, which is deleted after the tests of this worker. */
	createInbox(name?: string): Promise<TestInbox>;
};

/** The start of a daemon takes a moment, on a busy machine seconds: more than a test may take. */
export const startTimeoutMs = 60_000;

/** Seconds after which an inbox goes by itself, when whoever made it was killed. */
const ttl = 3600;

/** Names of inboxes have so many characters at most. */
const maxName = 100;

/** Opens the daemon of a test run. `close` deletes the inboxes that are left, and resolves when all that were made are gone. */
export async function openKit(scope: DaemonScope): Promise<{readonly tinbox: Tinbox; close(): Promise<void>}> {
	const daemon = await findDaemon(scope);
	const client = createClient({url: daemon.url, apiKey: daemon.apiKey});
	const inboxes = new Set<TestInbox>();
	const deletes = new Set<Promise<void>>();
	return {
		tinbox: {
			...client,
			async createInbox(name) {
				const created = await client.inboxes.create({name: shortName(name), ttl});
				const inbox = testInbox(client, daemon, created, async () => {
					inboxes.delete(inbox);
					const deleted = client.inboxes.delete(created.id);
					deletes.add(deleted);
					await deleted;
				});
				inboxes.add(inbox);
				return inbox;
			},
		},
		async close() {
			// One that cannot be deleted, as when the daemon has ended, goes by itself.
			await Promise.allSettled([...inboxes].map(async inbox => inbox.delete()));
			await Promise.allSettled(deletes);
		},
	};
}

/** Has an inbox deleted after its test, which need not wait for that: `close` does. */
export function dropInbox(inbox: TestInbox): void {
	inbox.delete().catch(() => {});
}

/** A test's name as inboxes may have it. */
function shortName(name = ''): string | null {
	// Not half a character at the end.
	return (
		plainLine(name)
			.trim()
			.slice(0, maxName)
			.replace(/[\ud800-\udbff]$/, '')
			.trim() || null
	);
}
