import http from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {Client} from '../client.js';

/**
 * The longest that each kind of request took, in milliseconds: `smtp` is a reply, `wait` the answer of a poll to the end of
 * a mail, and `webhook` the request for it.
 * @typedef {Record<'health' | 'list' | 'read' | 'smtp' | 'wait' | 'webhook', number>} Longest
 */

/** Between two requests of a kind. They do not wait for each other, so none that is slow hides the next. */
const everyMs = {request: 50, mail: 200};

/** What was not answered by then is waited for no longer. */
const patienceMs = 60_000;

/** Somebody who works as usual: asks, lists, reads, waits for mail that is sent, and is told of it by a webhook. */
export class Neighbour {
	#daemon;
	#client;
	/** It keeps its connections: one that it ends while a webhook is sent would cost the wait for another attempt. */
	#receiver = http.createServer({keepAliveTimeout: 0}, (request, response) => this.#announced(request, response));
	/** @type {import('../client.js').Inbox} */
	#inbox = {id: '', address: ''};
	#message = '';
	#mails = 0;
	/** When the mail was sent, by its subject; what was announced is taken off. @type {Map<string, number>} */
	#unannounced = new Map();
	/** @type {Set<string>} */
	#kept = new Set();
	/** @type {Set<Promise<void>>} */
	#underWay = new Set();
	/** @type {Longest} */
	#longest = noTimes();
	/** What went wrong. @type {string[]} */
	#failures = [];

	/**
	 * @param {import('../start.js').Proven} daemon
	 * @param {Client} client
	 */
	constructor(daemon, client) {
		this.#daemon = daemon;
		this.#client = client;
	}

	/**
	 * Somebody new, with an inbox of some mails and an endpoint.
	 * @param {import('../start.js').Proven} daemon
	 */
	static async of(daemon) {
		const neighbour = new Neighbour(daemon, await Client.of(daemon));
		await neighbour.#settle();
		return neighbour;
	}

	async #settle() {
		await new Promise(resolve => this.#receiver.listen(0, '127.0.0.1', () => resolve(undefined)));
		const own = this.#receiver.address();
		const url = `http://127.0.0.1:${typeof own === 'object' && own ? own.port : 0}/`;
		this.#inbox = await this.#client.createInbox();
		await this.#client.json('POST', '/webhooks', {url});
		for (let mails = 0; mails < 10; mails++) {
			await this.#sendAndWait();
		}

		this.#message = (await this.#client.messages(this.#inbox))[0]?.id ?? '';
	}

	/**
	 * Works until the other is done, and then until all that was asked was answered.
	 * @param {Promise<unknown>} done
	 */
	async work(done) {
		this.#longest = noTimes();
		this.#failures = [];
		const path = `/inboxes/${this.#inbox.id}/messages`;
		const asking = setInterval(() => {
			this.#do(this.#timed('health', this.#checkHealth()));
			this.#do(this.#timed('list', this.#client.json('GET', path)));
			this.#do(this.#timed('read', this.#client.json('GET', `${path}/${this.#message}`)));
		}, everyMs.request);
		const mailing = setInterval(() => this.#do(this.#sendAndWait()), everyMs.mail);
		await done;
		clearInterval(asking);
		clearInterval(mailing);
		await Promise.all(this.#underWay);
		await this.#untilAnnounced();
		return {longest: this.#longest, failures: this.#failures, lost: await this.#lost()};
	}

	close() {
		this.#client.close();
		this.#receiver.closeAllConnections();
		this.#receiver.close();
	}

	/**
	 * Does it while other things go on. What fails is counted, and what takes too long is waited for no longer.
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

	/** On a connection of its own, as monitors ask. */
	async #checkHealth() {
		const client = new Client(this.#daemon.url, {connection: 'close'});
		await client.json('GET', '/health');
		client.close();
	}

	/** Has a poll open, sends what it waits for, and reads what it says. */
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
		const told = this.#timed('wait', waiting);
		// Before the mail is sent, since it may be announced before its sender is answered.
		this.#unannounced.set(subject, performance.now());
		await this.#timed('smtp', session.command(`Subject: ${subject}\r\n\r\nHello.\r\n.`, '250'));
		this.#kept.add(subject);
		await this.#timed('smtp', session.quit());
		const found = await told;
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

	/** Waits for the webhooks of all mails that were taken. */
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

	/** How many of the mails that were taken are not there. */
	async #lost() {
		const there = new Set((await this.#client.messages(this.#inbox)).map(({subject}) => subject));
		return [...this.#kept].filter(subject => !there.has(subject)).length;
	}
}

/** @returns {Longest} */
function noTimes() {
	return {health: 0, list: 0, read: 0, smtp: 0, wait: 0, webhook: 0};
}
