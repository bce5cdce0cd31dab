import type {ClientFilter, ClientQuery} from '../client/filter.js';
import type {WaitLimits} from '../client/messages.js';
import {otherProviders, sendEnv, smtpEnv} from '../client/sending.js';
import {createClient, type TestClient} from '../client/suite.js';
import {type FindingName, maxLimit} from '../contract/constants.js';
import type {CreatedInboxBody, CredentialsBody} from '../contract/inboxes.js';
import type {MessageBody, MessageSummaryBody} from '../contract/messages.js';
import {errorCode} from '../lib/errors.js';
import {hostPort} from '../lib/io/hosts.js';
import {plainLine, sanitizeLine} from '../lib/text/sanitize.js';
import {type DaemonScope, type FoundDaemon, findDaemon} from './daemon.js';

/** Client of a test suite with the API key of its user. */
export type Tinbox = TestClient & {
	/** Creates another inbox, which is deleted after the tests of this worker. */
	createInbox(name?: string): Promise<TestInbox>;
};

/** Timeout for the start of a daemon, which can take longer than a test may. */
export const startTimeoutMs = 60_000;

/** Lifetime of an inbox in seconds: deletes inboxes of test runs that were killed. */
const ttl = 3600;

/** Maximum length of an inbox name. */
const maxName = 100;

/** Connects to the daemon of a test run. `close` deletes the remaining inboxes and waits for all pending deletions. */
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
			// Inboxes that cannot be deleted now expire.
			await Promise.allSettled([...inboxes].map(async inbox => inbox.delete()));
			await Promise.allSettled(deletes);
		},
	};
}

/** Deletes an inbox without waiting: `close` does. */
export function dropInbox(inbox: TestInbox): void {
	inbox.delete().catch(() => {});
}

/** Name of a test, shortened to a valid inbox name. */
function shortName(name = ''): string | null {
	// Drops half of a surrogate pair at the end.
	return (
		plainLine(name)
			.trim()
			.slice(0, maxName)
			.replace(/[\ud800-\udbff]$/, '')
			.trim() || null
	);
}

/** Inbox of one test. Waits time out after 4 seconds unless `timeoutMs` is given; the error lists what arrived instead. */
export type TestInbox = {
	readonly id: string;
	/** Email address of the inbox. */
	readonly address: string;
	/** SMTP login of the inbox. All mail that an app sends with this login arrives here, whatever the recipient. */
	readonly smtp: CredentialsBody;
	/** Environment variables for an app, as printed by `tinbox inbox create --format env` and set by `tinbox run`. */
	readonly env: Readonly<Record<string, string>>;
	/** Waits for a matching message and returns the newest one. */
	wait(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<MessageBody>;
	/** Waits for a matching message with a code, and returns the code. */
	code(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<string>;
	/** Waits for a matching message with a link, and returns its URL. With `link` in the filter, returns the URL of the matching link. */
	link(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<string>;
	/** Lists the matching messages, newest first; at most 100, or `limit`. */
	messages(query?: ClientQuery): Promise<readonly MessageBody[]>;
	/** Deletes all messages. */
	clear(): Promise<void>;
	/** Deletes the inbox with its mail. The kit does this after the test. */
	delete(): Promise<void>;
	/** Describes the messages for people: one line per message, oldest first. */
	summary(): Promise<string>;
};

/** Maximum number of messages in a summary. */
const maxLines = 20;

/** Creates the methods of an inbox. `remove` implements `delete`. */
function testInbox(
	{messages}: Pick<TestClient, 'messages'>,
	daemon: FoundDaemon,
	{id, email_address: address, smtp: credentials}: CreatedInboxBody,
	remove: () => Promise<void>,
): TestInbox {
	if (credentials === null) {
		throw new Error('The tinbox daemon does not accept mail: it is starting or stopping.');
	}

	const smtp = daemon.smtp
		? {...credentials, ...daemon.smtp, url: credentials.url.replace(/[^@]*$/, hostPort(daemon.smtp))}
		: credentials;
	const {wait} = messages;
	const waitFor = async (what: FindingName, filter: ClientFilter = {}, limits?: Partial<WaitLimits>) =>
		wait(id, {...filter, has: [...new Set([...(filter.has ?? []), what])]}, limits);
	return {
		id,
		address,
		smtp,
		get env() {
			const connection = {TINBOX_URL: daemon.url, TINBOX_API_KEY: daemon.apiKey};
			const inbox = {TINBOX_ADDRESS: address, TINBOX_INBOX_ID: id};
			return {...smtpEnv(smtp), ...sendEnv(otherProviders, daemon.url, smtp.send_key), ...connection, ...inbox};
		},
		wait: async (filter, limits) => wait(id, filter, limits),
		async code(filter, limits) {
			const {codes} = await waitFor('code', filter, limits);
			return codes[0] ?? '';
		},
		async link(filter, limits) {
			const found = await waitFor('link', filter, limits);
			const [wanted] = [filter?.link ?? []].flat();
			const {links} = wanted === undefined ? found : await messages.get(id, found.id, {link: wanted});
			return links[0]?.url ?? '';
		},
		messages: async query => messages.list(id, {limit: maxLimit, ...query}),
		clear: async () => messages.deleteAll(id),
		delete: remove,
		async summary() {
			const newest = await messages.summaries(id, {limit: maxLines});
			const lines = newest.length === 0 ? ['  no messages'] : newest.toReversed().map(describeMail);
			return [`Messages in ${address}:`, ...lines].join('\n');
		},
	};
}

function describeMail({subject, from, to, received_at}: MessageSummaryBody): string {
	return sanitizeLine(`  ${received_at.slice(11, 19)} "${subject}" from ${from} to ${to}`);
}

/** Throws a clear error if the test framework is not installed, or else `error`. */
export function failWithoutFramework(kit: string, framework: string, error: unknown): never {
	throw /MODULE_NOT_FOUND$/.test(errorCode(error) ?? '')
		? new Error(`${kit} requires ${framework}, which is not installed.`, {cause: error})
		: error;
}
