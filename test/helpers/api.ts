import {createTargetPolicy} from '../../src/domain/target.js';
import {HttpServer} from '../../src/http/server.js';
import type {Parser} from '../../src/mime/parser.js';
import {Events} from '../../src/services/events.js';
import {Feed} from '../../src/services/feed.js';
import {Follower} from '../../src/services/follower.js';
import {Inboxes} from '../../src/services/inboxes.js';
import {Messages} from '../../src/services/messages.js';
import {Previews} from '../../src/services/previews.js';
import {tellingStore} from '../../src/services/telling-store.js';
import {createWebhookParts, type WebhookPartsOptions} from '../../src/services/webhook-parts.js';
import type {Accounts} from './accounts.js';

const log = {info: () => {}, warn: () => {}, error: () => {}};

/** Every mail says the same to it, and has one attachment. */
const parser: Parser = {
	summarize: async heads =>
		heads.map(() => ({from: 'from@example.com', cc: [], replyTo: [], subject: 'Hi', messageId: '1@example.com'})),
	read: async () => ({
		headers: [],
		text: 'Hi',
		html: '',
		attachments: [
			{id: '1', filename: 'a.txt', contentType: 'text/plain', size: 2, contentId: null, disposition: 'attachment'},
		],
		warnings: [],
	}),
	attachment: async (_source, id) => (id === '1' ? Buffer.from('Hi') : undefined),
	find: async () => ({codes: [], links: []}),
	explain: async () => [],
	stop: async () => {},
};

export type Api = Awaited<ReturnType<typeof openApi>>;

/** The whole API over the services of these accounts, with webhooks that always succeed unless the options say otherwise. */
export async function openApi(accounts: Accounts, webhookOptions: Partial<WebhookPartsOptions> = {}) {
	const {services} = accounts;
	const events = new Events();
	const store = tellingStore(accounts.store, events);
	const now = () => accounts.now;
	const feed = new Feed();
	const {webhooks, announcer} = createWebhookParts(store, {
		send: async () => ({ok: true, status: 200, body: ''}),
		allows: createTargetPolicy({localAllowed: true, allowed: []}),
		findHost: async () => 'unknown',
		retryDelayMs: 30_000,
		retention: {keep: 1000, keepMs: 30 * 86_400_000},
		now,
		log,
		...webhookOptions,
	});
	const inboxes = new Inboxes(store, {feed, domain: 'tinbox.test', now, log});
	const messages = new Messages(store, {inboxes, parser, feed, announcer, now, log});
	const all = {
		...services,
		inboxes,
		messages,
		previews: new Previews(messages, now),
		webhooks,
		feed,
		follower: new Follower(store, events),
	};
	const server = new HttpServer(all, {host: '127.0.0.1', port: 0, names: [], log});
	await server.start();
	return {
		url: server.url,
		services: all,
		close: async () => {
			await server.stop();
			await messages.stop();
			await inboxes.stop();
		},
	};
}
