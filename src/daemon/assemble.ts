import {BlockList, isIP} from 'node:net';
import type {DaemonSettings} from '../config/settings.js';
import {createTargetPolicy} from '../domain/target.js';
import {HttpServer} from '../http/server.js';
import type {Part} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {createParser} from '../mime/create-parser.js';
import {findHost} from '../outbound/find-host.js';
import {createWebhookSender} from '../outbound/webhook-sender.js';
import {Credentials} from '../services/credentials.js';
import {Events} from '../services/events.js';
import {Feed} from '../services/feed.js';
import {Follower} from '../services/follower.js';
import {Inboxes} from '../services/inboxes.js';
import {Invites} from '../services/invites.js';
import {Keys} from '../services/keys.js';
import {Messages} from '../services/messages.js';
import {Previews} from '../services/previews.js';
import {Teams} from '../services/teams.js';
import {tellingStore} from '../services/telling-store.js';
import {Users} from '../services/users.js';
import {createWebhookParts} from '../services/webhook-parts.js';
import {createSmtpServer} from '../smtp/server.js';
import {openJsonStore} from '../store/json/open.js';
import type {Store} from '../store/store.js';
import {loadSecret} from './secrets.js';

/** A daemon put together but not started. */
export type Assembly = {
	/** In the order of their start. */
	readonly parts: readonly Part[];
	/** Where the listeners are, once all parts are started. `url` ends in `/v1`. */
	addresses(): {readonly url: string; readonly smtp: {readonly host: string; readonly port: number}};
};

export type OpenStore = (options: {readonly dir: string; readonly log: Log}) => Promise<Store>;

/** Of the SMTP listener. A client has as long for one mail as RFC 5321, section 4.5.3.2, gives it for the whole of DATA. */
const smtpLimits = {
	maxRecipients: 100,
	idleTimeoutMs: 5 * 60_000,
	sessionDeadlineMs: 10 * 60_000,
	stopDeadlineMs: 10_000,
};

/** Builds every part of the daemon in the order of dependence and hands each what it needs; opening the store locks it. */
export async function assemble(
	settings: DaemonSettings,
	log: Log,
	openStore: OpenStore = openJsonStore,
): Promise<Assembly> {
	const {host, domain, dataDir} = settings;
	const now = () => new Date();
	const events = new Events();
	const store = tellingStore(await openStore({dir: dataDir, log}), events);
	const credentials = new Credentials(store, {
		operatorToken: await loadSecret(dataDir, 'operator-token'),
		tokenSecret: await loadSecret(dataDir, 'token-secret'),
		now,
	});

	const parser = createParser();
	const allows = createTargetPolicy({localAllowed: isLoopback(host), allowed: settings.webhookAllow});
	const sender = createWebhookSender({allows});
	const {
		webhooks,
		announcer,
		parts: webhookParts,
	} = createWebhookParts(store, {
		send: sender.send,
		allows,
		findHost,
		retryDelayMs: settings.webhookRetryDelayMs,
		retention: {keep: settings.webhookKeep, keepMs: settings.webhookKeepForMs},
		now,
		log,
	});

	const feed = new Feed();
	const inboxes = new Inboxes(store, {feed, domain, now, log});
	const messages = new Messages(store, {inboxes, parser, feed, announcer, now, log});
	const teams = new Teams(store, now);
	const http = new HttpServer(
		{
			credentials,
			users: new Users(store, now),
			keys: new Keys(store, now),
			teams,
			invites: new Invites(store, teams, now),
			inboxes,
			messages,
			previews: new Previews(messages, now),
			feed,
			follower: new Follower(store, events),
			webhooks,
		},
		{host, port: settings.httpPort, names: settings.hostNames, log},
	);
	const smtp = createSmtpServer(
		{
			...smtpLimits,
			host,
			port: settings.smtpPort,
			name: domain,
			maxMessageSize: settings.maxMessageSize,
			maxConnections: settings.maxConnections,
			credentials: settings.smtpAuth,
		},
		{accepts: address => inboxes.accepts(address), deliver: (envelope, source) => messages.deliver(envelope, source)},
		log,
	);

	return {
		parts: [
			ending('store', () => store.close()),
			ending('credentials', () => credentials.stop()),
			// Its first thread takes its time to start: the first mail shall not wait for it.
			{name: 'parser', start: async () => void parser.summarize([]).catch(() => {}), stop: () => parser.stop()},
			ending('webhook sender', () => sender.close()),
			...webhookParts,
			{name: 'inboxes', start: () => inboxes.start(), stop: () => inboxes.stop()},
			{name: 'messages', start: () => messages.start(), stop: () => messages.stop()},
			http,
			smtp,
		],
		addresses: () => ({url: http.url, smtp: smtp.address()}),
	};
}

/** Something that works from the beginning and only needs its end. */
function ending(name: string, stop: () => Promise<void>): Part {
	return {name, start: async () => {}, stop};
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
	return host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
}
