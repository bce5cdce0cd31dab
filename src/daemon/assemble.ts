import {type DaemonSettings, smtpsPortOf} from '../config/settings.js';
import {SettingError} from '../config/settings-file.js';
import {AppError} from '../domain/errors.js';
import {HttpServer} from '../http/server/server.js';
import type {Services} from '../http/services.js';
import {hostPort, isEverywhere, reachableHost} from '../lib/io/hosts.js';
import type {Part} from '../lib/lifecycle.js';
import {Admission} from '../lib/queue/admission.js';
import {Timer} from '../lib/time/timer.js';
import {createMetrics} from '../metrics/metrics.js';
import {localUser} from '../runtime/local-user.js';
import {Credentials} from '../services/accounts/credentials.js';
import {Keys} from '../services/accounts/keys.js';
import {Teams} from '../services/accounts/teams.js';
import {Users} from '../services/accounts/users.js';
import {WebSessions} from '../services/accounts/web-sessions.js';
import {Bounces} from '../services/bounces/bounces.js';
import {BounceDispatcher} from '../services/bounces/dispatcher.js';
import {FaultEngine} from '../services/faults/engine.js';
import {Faults} from '../services/faults/faults.js';
import {Inboxes} from '../services/inboxes/inboxes.js';
import {InboxLogins} from '../services/inboxes/logins.js';
import {Feed} from '../services/live/feed.js';
import {Follower} from '../services/live/follower.js';
import {Contents} from '../services/messages/contents.js';
import {Messages} from '../services/messages/messages.js';
import {Previews} from '../services/messages/previews.js';
import {MailReceiver} from '../services/messages/receive.js';
import {Recipients} from '../services/messages/recipients.js';
import {SourceKeeper} from '../services/messages/request-sources.js';
import {MailRetention} from '../services/messages/retention.js';
import {Nodes} from '../services/nodes.js';
import {createQuotas} from '../services/quotas.js';
import {Refusals} from '../services/refusals.js';
import {createReceiptExpiry, IdempotentRequests} from '../services/sending/idempotency.js';
import {Senders} from '../services/sending/senders.js';
import {Sending} from '../services/sending/sending.js';
import {SentMails} from '../services/sending/sent-mails.js';
import {TemplateMails, Templates} from '../services/sending/templates.js';
import {MailEventReporter} from '../services/webhooks/delivery-planner.js';
import {createWebhookParts} from '../services/webhooks/webhooks.js';
import {SmtpServer} from '../smtp/server.js';
import {type DaemonLimits, daemonLimits} from './limits.js';
import type {Resources} from './resources.js';

/**
 * Limits of the SMTP listener. A client has 10 minutes for one mail, the total that RFC 5321, section 4.5.3.2, allows for
 * DATA.
 */
const smtpLimits = {
	maxRecipients: 100,
	idleTimeoutMs: 5 * 60_000,
	sessionDeadlineMs: 10 * 60_000,
	handshakeDeadlineMs: 15_000,
	stopDeadlineMs: 10_000,
};

type SmtpServices = Pick<Services, 'receiver' | 'refusals' | 'logins'> & {
	readonly recipients: Recipients;
	readonly faults: FaultEngine;
};

/** Creates the SMTP server from the settings and connects it to the services. */
function createSmtp(
	settings: DaemonSettings,
	limits: DaemonLimits,
	{receiver, recipients, faults, refusals, logins}: SmtpServices,
	{certificates, now, log}: Resources,
): SmtpServer {
	const {host, smtpPort, domain, maxMessageSize, smtpAuth, smtpOauth, authNeedsTls, tls: mode} = settings;
	const port = smtpsPortOf(settings);
	return new SmtpServer(
		{
			...smtpLimits,
			host,
			port: smtpPort,
			tls: certificates && port !== undefined && mode !== 'off' ? {mode, port, certificates} : null,
			name: domain,
			maxMessageSize,
			auth: {loginPolicy: smtpAuth, oauth: smtpOauth, needsTls: authNeedsTls, now},
			limits: limits.smtp,
		},
		{
			acceptRecipient: (address, mail, inboxId) => recipients.accept(address, mail, inboxId),
			deliver: (envelope, session, source, mail, inboxId) => {
				const accepted = recipients.inboxesFor(envelope.to, mail);
				return receiver.receiveOne({envelope, session, source, recipients: accepted, inboxId});
			},
			faults: {
				mayAct: (stage, to) => faults.mayAct(stage, to),
				evaluate: context => faults.evaluate(context),
				inboxesOf: (to, mail) => recipients.inboxesFor(to, mail).map(({inbox}) => inbox.id),
			},
			logins,
			refused: refused => refusals.add(refused),
		},
		log,
	);
}

/**
 * Creates the API key and the catch-all inbox of the local user if the settings ask for them. Throws a `SettingError` if the
 * key belongs to another user.
 */
async function prepareLocalUser(
	{apiKey, catchAll}: Pick<DaemonSettings, 'apiKey' | 'catchAll'>,
	{users, keys, inboxes}: Pick<Services, 'users' | 'keys' | 'inboxes'>,
): Promise<void> {
	if (apiKey === null && !catchAll) {
		return;
	}

	const user = await users.ensure({...localUser(), plan: 'business'});
	if (apiKey !== null && !(await keys.give(user, apiKey))) {
		throw new SettingError('The API key in --api-key or TINBOX_API_KEY belongs to another user. Choose another key.');
	}

	if (catchAll) {
		await inboxes
			.create(user, {name: 'catch-all', address: '*', teamId: null, ttlSeconds: null})
			.catch((error: unknown) => {
				if (!(error instanceof AppError && error.code === 'address_taken')) {
					throw error;
				}
			});
	}
}

/** Assembled daemon that was not started. */
export type Assembly = ReturnType<typeof assemble>;

/** Creates all parts of the daemon in the order of their dependencies. The parts also close the resources. */
export function assemble(settings: DaemonSettings, resources: Resources) {
	const limits = daemonLimits(settings, resources);
	const {
		node,
		store,
		parser,
		sender,
		sendMail,
		allows,
		findHost,
		operatorToken,
		tokenSecret,
		smtpSecret,
		certificates,
		now,
		log,
	} = resources;
	const metrics = createMetrics({
		store,
		facts: {
			version: node.version,
			store: settings.store === null ? 'files' : 'postgres',
			openFiles: resources.openFiles,
		},
		open: () => ({waits: quotas.polls.held, streams: quotas.streams.held}),
		sessions: () => smtp.sessionCounts(),
		now,
	});
	const {observer} = metrics;
	const quotas = createQuotas(limits.ofUsers, store);
	const feed = new Feed(store.events);
	const {
		webhooks,
		deliveryPlanner,
		parts: webhookParts,
	} = createWebhookParts(store, {
		send: sender.send,
		maxConcurrent: limits.attempts,
		allows,
		findHost,
		quotas,
		feed,
		localEmail: localUser().email,
		retryDelayMs: settings.webhookRetryDelayMs,
		retention: {keep: settings.webhookKeep, keepMs: settings.webhookKeepForMs},
		observer,
		now,
		log,
	});

	const credentials = new Credentials(store, {operatorToken, tokenSecret, now});
	const retention = new MailRetention(store, {defaultRetention: settings, feed, now, log});
	const inboxes = new Inboxes(store, {feed, domain: settings.domain, quota: quotas.inboxes, retention, now, log});
	const logins = new InboxLogins(store, {inboxes, secret: smtpSecret, now});
	const allowsFaultAddresses = !settings.noFaultAddresses;
	const faults = new FaultEngine(store, {
		parser,
		feed,
		deliveryPlanner,
		inboxes: allowsFaultAddresses ? inboxes : null,
		observer,
		now,
		log,
	});
	const recipients = new Recipients({inboxes, quotas, deliveryPlanner});
	const contents = new Contents(store.sources, parser);
	const bounceTimer = new Timer();
	const receiver = new MailReceiver(store, {
		recipients,
		parser,
		contents,
		feed,
		quotas,
		deliveryPlanner,
		bounceTimer,
		allowsFaultAddresses,
		retention,
		faults,
		observer,
		now,
	});
	const messages = new Messages(store, {inboxes, receiver, contents, parser, quotas, feed, now});
	const templates = new Templates(store, {parser, now});
	const receipts = createReceiptExpiry(store, {feed, now, log});
	const mailEvents = new MailEventReporter(store, {deliveryPlanner, now});
	const bounces = new Bounces(store, {inboxes, messages, receiver, mailEvents, sendMail, host: settings.domain, now});
	const refusals = new Refusals({inboxes, logins, observer, now, log});
	const {host, httpPort, httpsPort, hostNames} = settings;
	const services: Services = {
		admission: new Admission({concurrency: 64, turnMs: 2}),
		credentials,
		users: new Users(store, feed, now),
		keys: new Keys(store, feed, now),
		webSessions: new WebSessions(store, {credentials, feed, secret: tokenSecret, now, log}),
		teams: new Teams(store, {feed, quota: quotas.teams, maxMembers: limits.members, now}),
		inboxes,
		logins,
		messages,
		receiver,
		sending: new Sending({
			senders: new Senders({logins, keyPolicy: settings.sendAuth, now}),
			receiver,
			recipients,
			faults,
			refusals,
			sources: new SourceKeeper(store.sources),
			verifiedDomains: settings.sendVerifiedDomains,
			maxBytes: settings.maxMessageSize,
		}),
		repeats: new IdempotentRequests(store, receipts, now),
		sentMails: new SentMails(store, messages),
		templates,
		templateMails: new TemplateMails({templates, recipients, refusals}),
		bounces,
		previews: new Previews(messages, {credentials, secret: tokenSecret, now}),
		refusals,
		nodes: new Nodes(store, {
			identity: node,
			address: () => hostPort({host: isEverywhere(host) ? node.name : host, port: http.port}),
			load: () => ({waits: quotas.polls.held + quotas.streams.held, sessions: smtp.connections.size}),
		}),
		faults: new Faults(store, {inboxes, parser, feed, now, log}),
		feed,
		follower: new Follower(store, feed),
		webhooks,
		quotas,
		observer,
		metrics,
		isAvailable: () => store.isAvailable(),
		smtpSettings: {
			domain: settings.domain,
			loginPolicy: settings.smtpAuth,
			authNeedsTls: settings.authNeedsTls,
			address: () => smtp.address,
		},
		tls: {
			mode: certificates ? settings.tls : 'off',
			authority: async () => (await certificates?.authority().catch(() => null)) ?? null,
			smtps: () => smtp.secureAddress,
			https: () => http.secureAddress(),
		},
	};
	const secure = certificates && httpsPort !== null ? {port: httpsPort, certificates} : null;
	const http = new HttpServer(services, {
		host,
		port: httpPort,
		secure,
		names: hostNames,
		mcpExtras: settings.mcpAllow,
		limits: limits.http,
		log,
	});
	const smtp = createSmtp(settings, limits, {refusals, logins, receiver, recipients, faults}, resources);
	const bases = [
		ending('store', () => store.close()),
		ending('credentials', () => credentials.stop()),
		// Starts its thread in the background, so that the first mail does not wait for it.
		{name: 'parser', start: async () => parser.start(), stop: () => parser.stop()},
		ending('webhook sender', () => sender.close()),
	];
	return {
		services,
		faultEngine: faults,
		http,
		/** Parts that serve existing data only, in the order of their start. They accept, send and expire nothing. */
		readingParts: [...bases, http],
		/** All parts in the order of their start. */
		parts: [
			...bases,
			metrics.eventLoop,
			...webhookParts,
			new BounceDispatcher(store, {bounces, timer: bounceTimer, now, log}),
			retention,
			inboxes.expiry,
			services.webSessions.expiry,
			receipts,
			services.faults.expiry,
			{name: 'local user', start: async () => prepareLocalUser(settings, services), stop: async () => {}},
			http,
			smtp,
			services.nodes,
			// Creates certificates in the background, so that the start does not wait for them.
			{name: 'certificates', start: async () => certificates?.start(), stop: async () => certificates?.close()},
		],
		/** Addresses for clients on this machine, after the start. `url` ends in `/v1`. */
		addresses: () => {
			const {host, port} = smtp.address ?? {host: settings.host, port: settings.smtpPort};
			const secure = smtp.secureAddress;
			return {
				url: http.url,
				httpsUrl: http.secureUrl,
				smtp: {host: reachableHost(host), port},
				smtps: secure ? {host: reachableHost(secure.host), port: secure.port} : null,
			};
		},
	};
}

/** Part that only needs to be stopped. */
function ending(name: string, stop: () => Promise<void>): Part {
	return {name, start: async () => {}, stop};
}
