import type {ClientFilter, ClientQuery} from '../client/filter.js';
import type {WaitLimits} from '../client/messages.js';
import {otherProviders, sendEnv} from '../client/send-env.js';
import {smtpEnv} from '../client/smtp-env.js';
import type {TestClient} from '../client/suite.js';
import type {CreatedInboxBody, CredentialsBody} from '../contract/inboxes.js';
import type {FindingName, MessageBody, MessageSummaryBody} from '../contract/messages.js';
import {maxLimit} from '../contract/page.js';
import {hostPort} from '../lib/hosts.js';
import {sanitizeLine} from '../lib/sanitize.js';
import type {FoundDaemon} from './daemon.js';

/** The inbox of one test. Waits give up after 4 seconds, unless `timeoutMs` is given, with an error that tells what did arrive. */
export type TestInbox = {
	readonly id: string;
	/** Where mail for it goes. */
	readonly address: string;
	/** How an app logs in as the inbox: all of its mail comes here then, whoever it is for. */
	readonly smtp: CredentialsBody;
	/** The same as variables for an app, those that `tinbox inbox create --format env` prints, with the ones that `tinbox run` sets. */
	readonly env: Readonly<Record<string, string>>;
	/** The newest message that fits, as soon as there is one. */
	wait(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<MessageBody>;
	/** The code in the newest message that fits and has one. */
	code(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<string>;
	/** The address of the link in the newest message that fits and has one; with `link` in the filter, of the link that fits. */
	link(filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<string>;
	/** What is there now and fits, newest first; 100 unless `limit` says less. */
	messages(query?: ClientQuery): Promise<readonly MessageBody[]>;
	/** Deletes all messages. */
	clear(): Promise<void>;
	/** Deletes the inbox with its mail, as the kit does by itself after the test. */
	delete(): Promise<void>;
	/** What the mail is that came, for people: a line for each message, the oldest first. */
	summary(): Promise<string>;
};

/** How many messages a summary has lines for. */
const maxLines = 20;

/** Gives an inbox of the daemon its methods; `remove` is the one that deletes it. */
export function testInbox(
	{messages}: Pick<TestClient, 'messages'>,
	daemon: FoundDaemon,
	{id, email_address: address, smtp: said}: CreatedInboxBody,
	remove: () => Promise<void>,
): TestInbox {
	if (said === null) {
		throw new Error('The tinbox daemon takes no mail now: it stops, or has just started.');
	}

	const smtp = daemon.smtp ? {...said, ...daemon.smtp, url: said.url.replace(/[^@]*$/, hostPort(daemon.smtp))} : said;
	const {wait} = messages;
	const waitFor = async (what: FindingName, filter: ClientFilter = {}, limits?: Partial<WaitLimits>) =>
		wait(id, {...filter, has: [...new Set([...(filter.has ?? []), what])]}, limits);
	return {
		id,
		address,
		smtp,
		get env() {
			const connection = {TINBOX_URL: daemon.url, TINBOX_API_KEY: daemon.apiKey};
			const own = {TINBOX_ADDRESS: address, TINBOX_INBOX_ID: id};
			return {...smtpEnv(smtp), ...sendEnv(otherProviders, daemon.url, smtp.send_key), ...connection, ...own};
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
			const lines = newest.length === 0 ? ['  none came'] : newest.toReversed().map(describeMail);
			return [`Mail of ${address}:`, ...lines].join('\n');
		},
	};
}

function describeMail({subject, from, to, received_at}: MessageSummaryBody): string {
	return sanitizeLine(`  ${received_at.slice(11, 19)} "${subject}" from ${from} to ${to}`);
}
