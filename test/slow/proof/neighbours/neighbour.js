import http from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';

/**
 * The longest time of each kind of request in milliseconds. `smtp` is a reply, `wait` the response of a long poll after the
 * end of a mail, `webhook` the webhook request for a mail. `send` is a mail by a sending API with the key of an inbox, and
 * `anyKey` one with a key of no inbox, which shares the turns of its address with the attacker.
 * @typedef {Record<'health' | 'list' | 'read' | 'create' | 'send' | 'anyKey' | 'smtp' | 'wait' | 'webhook', number>} Longest
 */

/** Interval of requests of a kind. They run concurrently, so that a slow one does not hide others. */
const intervalMs = {request: 50, mail: 200, change: 250};

/** Template whose size is the product of two lists of a request. */
const table = '{{#each rows}}{{#each ../columns}}{{this}} {{/each}}{{/each}}';

/** Timeout of requests. */
const patienceMs = 60_000;

/** A normal user who checks health, lists, reads, sends and waits for mail, and receives webhooks. */
export class Neighbour {
	#daemon;
	#client;
	/** Connections stay open: closing one during a webhook would cause a delayed retry. */
	#receiver = http.createServer({keepAliveTimeout: 0}, (request, response) => this.#announced(request, response));
	/** @type {import('../client.js').Inbox} */
	#inbox = {id: '', address: ''};
	#message = '';
	/** With the send key of the inbox. */
	#sender;
	/** With a key of no inbox. */
	#anySender;
	#mails = 0;
	/** Send time of mails without a webhook so far, by subject. @type {Map<string, number>} */
	#unannounced = new Map();
	/** @type {Set<string>} */
	#kept = new Set();
	/** @type {Set<Promise<void>>} */
	#underWay = new Set();
	/** @type {Longest} */
	#longest = noTimes();
	/** @type {string[]} */
	#failures = [];

	/**
	 * @param {import('../start.js').TestDaemon} daemon
	 * @param {Client} client
	 */
	constructor(daemon, client) {
		this.#daemon = daemon;
		this.#client = client;
		this.#sender = new Client(daemon.url, {});
		this.#anySender = new Client(new URL('/send/resend', daemon.url).href, {authorization: 'Bearer re_placeholder'});
	}

	/**
	 * Creates a user with an inbox, some messages and an endpoint.
	 * @param {import('../start.js').TestDaemon} daemon
	 */
	static async of(daemon) {
		const neighbour = new Neighbour(daemon, await Client.of(daemon));
		await neighbour.#settle();
		return neighbour;
	}

	/** Address of the inbox. */
	get address() {
		return this.#inbox.address;
	}

	async #settle() {
		await new Promise(resolve => this.#receiver.listen(0, '127.0.0.1', () => resolve(undefined)));
		const own = this.#receiver.address();
		const url = `http://127.0.0.1:${typeof own === 'object' && own ? own.port : 0}/`;
		this.#inbox = await this.#client.createInbox();
		await this.#client.json('POST', '/webhooks', {url});
		await this.#client.json('PUT', '/templates/postmark/table', {subject: 'table', html: table});
		const {send_key: sendKey} = await this.#client.json('GET', `/inboxes/${this.#inbox.id}/credentials`);
		this.#sender.headers = {authorization: `Bearer ${sendKey}`};
		for (let mails = 0; mails < 10; mails++) {
			await this.#sendAndWait();
		}

		this.#message = (await this.#client.messages(this.#inbox))[0]?.id ?? '';
	}

	/**
	 * Works until `done` resolves and all requests have ended, and returns the measurements.
	 * @param {Promise<unknown>} done
	 * @param {number} [factor] factor of the intervals between requests
	 */
	async work(done, factor = 1) {
		this.#longest = noTimes();
		this.#failures = [];
		const path = `/inboxes/${this.#inbox.id}/messages`;
		const asking = setInterval(() => {
			this.#do(this.#timed('health', this.#checkHealth()));
			this.#do(this.#timed('list', this.#client.json('GET', path)));
			this.#do(this.#timed('read', this.#client.json('GET', `${path}/${this.#message}`)));
		}, intervalMs.request * factor);
		const mailing = setInterval(() => this.#do(this.#sendAndWait()), intervalMs.mail * factor);
		const mail = {from: 'usual@sender.test', to: this.#inbox.address, subject: 'sent', text: 'x'.repeat(20_000)};
		const changing = setInterval(() => {
			this.#do(this.#createAndDelete());
			this.#do(this.#timed('send', this.#sender.json('POST', '/send', mail)));
			this.#do(this.#timed('anyKey', this.#anySender.json('POST', '/emails', mail)));
		}, intervalMs.change * factor);
		await done;
		clearInterval(asking);
		clearInterval(mailing);
		clearInterval(changing);
		await Promise.all(this.#underWay);
		await this.#untilAnnounced();
		return {longest: this.#longest, failures: this.#failures, lost: await this.#lost()};
	}

	close() {
		this.#client.close();
		this.#sender.close();
		this.#anySender.close();
		this.#receiver.closeAllConnections();
		this.#receiver.close();
	}

	/**
	 * Runs an operation in the background, with a timeout. Failures are recorded.
	 * @param {Promise<unknown>} act
	 */
	#do(act) {
		const acting = Promise.race([act, sleep(patienceMs, undefined, {ref: false})])
			.catch(error => {
				this.#failures.push(String(error));
			})
			.then(() => {
				this.#underWay.delete(acting);
			});
		this.#underWay.add(acting);
	}

	/**
	 * @template T
	 * @param {keyof Longest} kind
	 * @param {Promise<T>} answer
	 */
	async #timed(kind, answer) {
		const begun = performance.now();
		const late = setTimeout(() => this.#took(kind, begun), patienceMs).unref();
		try {
			return await answer;
		} finally {
			clearTimeout(late);
			this.#took(kind, begun);
		}
	}

	/**
	 * @param {keyof Longest} kind
	 * @param {number} begun
	 */
	#took(kind, begun) {
		this.#longest[kind] = Math.max(this.#longest[kind], Math.round(performance.now() - begun));
	}

	/** Uses a new connection, like monitoring systems. */
	async #checkHealth() {
		const client = new Client(this.#daemon.url, {connection: 'close'});
		await client.json('GET', '/health');
		client.close();
	}

	async #createAndDelete() {
		const {id} = await this.#timed('create', this.#client.createInbox());
		await this.#client.json('DELETE', `/inboxes/${id}`);
	}

	/** Starts a long poll, sends the mail for it and checks the result. */
	async #sendAndWait() {
		const subject = `mail ${this.#mails++}.`;
		const waiting = this.#client.json(
			'GET',
			`/inboxes/${this.#inbox.id}/messages?wait=60&q=${encodeURIComponent(subject)}`,
		);
		waiting.catch(() => {});
		const session = await this.#timed('smtp', SmtpSession.open(this.#daemon.smtp));
		await this.#timed('smtp', session.command('MAIL FROM:<usual@sender.test>', '250'));
		await this.#timed('smtp', session.command(`RCPT TO:<${this.#inbox.address}>`, '250'));
		await this.#timed('smtp', session.command('DATA', '354'));
		const result = this.#timed('wait', waiting);
		// Set before the end of the mail: the webhook may arrive before the reply.
		this.#unannounced.set(subject, performance.now());
		await this.#timed('smtp', session.command(`Subject: ${subject}\r\n\r\nHello.\r\n.`, '250'));
		this.#kept.add(subject);
		await this.#timed('smtp', session.quit());
		const found = await result;
		if (found.length !== 1) {
			throw new Error(`${found.length} messages were found`);
		}
	}

	/**
	 * @param {http.IncomingMessage} request
	 * @param {http.ServerResponse} response
	 */
	#announced(request, response) {
		let body = '';
		const begun = performance.now();
		request.on('data', chunk => {
			body += chunk;
		});
		request.on('end', () => {
			response.end();
			const {subject} = JSON.parse(body).message;
			const sent = this.#unannounced.get(subject) ?? begun;
			this.#unannounced.delete(subject);
			this.#longest.webhook = Math.max(this.#longest.webhook, Math.round(begun - sent));
		});
	}

	/** Waits for the webhooks of all accepted mails. */
	async #untilAnnounced() {
		const deadline = performance.now() + patienceMs;
		while (this.#unannounced.size > 0 && performance.now() < deadline) {
			await sleep(10);
		}

		for (const [subject, sent] of this.#unannounced) {
			this.#unannounced.delete(subject);
			this.#took('webhook', sent);
		}
	}

	/** Number of accepted mails that are not stored. */
	async #lost() {
		const there = new Set((await this.#client.messages(this.#inbox)).map(({subject}) => subject));
		return [...this.#kept].filter(subject => !there.has(subject)).length;
	}
}

/** @returns {Longest} */
function noTimes() {
	return {health: 0, list: 0, read: 0, create: 0, send: 0, anyKey: 0, smtp: 0, wait: 0, webhook: 0};
}
