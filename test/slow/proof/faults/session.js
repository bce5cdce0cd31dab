import {evaluateRules} from './model.js';
import {Wire} from './wire.js';

/**
 * @typedef {import('./model.js').ModelHit} ModelHit
 * @typedef {import('./model.js').Occasion} Occasion
 * @typedef {import('./world.js').World} World
 * @typedef {import('./world.js').Inbox} Inbox
 * @typedef {import('./world.js').Mail} Mail
 *
 * @typedef {object} Expected
 * @property {string | RegExp | number} expectedReply a whole line, a pattern, or a reply code
 * @property {'half' | 'nothing'} [cut] part that is received before the connection drops
 * @property {number} [afterMs] minimum delay of the reply
 * @property {number} [perByte] minimum delay of each byte in milliseconds
 * @property {ModelHit} [hit] hit that caused it
 */

/** Tolerance for timers that fire early. */
const earlyMs = 2;

/** A difference between the daemon and the model. */
export class Deviation extends Error {}

/**
 * Plays one session and compares each reply with the model. Commands after the connection dropped are still sent and must
 * have no effect. Throws a `Deviation`.
 */
export class FaultSession {
	/** Commands and replies so far. @type {string[]} */
	transcript = [];
	/** True after the connection was expected to drop. */
	isOver = false;
	#world;
	#wire;
	#helo;
	#isPipelined;
	/** @type {Array<{text: string, expected: Expected | undefined}>} */
	#unsent = [];
	/** @type {{user: string, inbox: Inbox | undefined} | undefined} */
	#login;

	/**
	 * @param {World} world
	 * @param {import('../start.js').Address} smtp
	 * @param {{helo: string, isPipelined: boolean}} options
	 */
	constructor(world, smtp, {helo, isPipelined}) {
		this.#world = world;
		this.#wire = Wire.open(smtp);
		this.#helo = helo;
		this.#isPipelined = isPipelined;
	}

	/** Reads the greeting. Like the following methods, returns true for a positive reply. */
	async greet() {
		return this.#sendAlone('', () => this.#expect(220, {stage: 'connect', helo: null}));
	}

	/** @param {'EHLO' | 'HELO'} verb */
	async hello(verb) {
		return this.#sendAlone(`${verb} ${this.#helo}`, () => this.#expect(250, {stage: 'helo'}));
	}

	async beginTls() {
		const isAccepted = await this.#sendAlone('STARTTLS', () => this.#expect(220, {stage: 'starttls'}));
		if (isAccepted) {
			await this.#wire.beginTls();
			this.transcript.push('- TLS');
		}

		return isAccepted;
	}

	/**
	 * @param {{user: string, password: string, inbox: Inbox | undefined}} login
	 * @param {number} way variant of AUTH, 0 to 3
	 */
	async logIn({user, password, inbox}, way) {
		const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');
		const plain = base64(`\0${user}\0${password}`);
		const ways = [
			[`AUTH PLAIN ${plain}`],
			['AUTH PLAIN', plain],
			['AUTH LOGIN', base64(user), base64(password)],
			[`AUTH LOGIN ${base64(user)}`, base64(password)],
		];
		const steps = ways[way] ?? [];
		for (const step of steps.slice(0, -1)) {
			await this.#sendAlone(step, () => ({expectedReply: 334}));
		}

		const inboxIds = inbox ? [inbox.id] : [];
		const isAccepted = await this.#sendAlone(steps.at(-1) ?? '', () =>
			this.#expect(235, {stage: 'auth', user, inboxIds}),
		);
		this.#login = isAccepted ? {user, inbox} : undefined;
		return isAccepted;
	}

	/**
	 * Sends one mail until a command is rejected. With pipelining, its envelope follows the data of the previous mail directly.
	 * @param {Mail} mail
	 */
	async send(mail) {
		const isBegun = await this.#send(`MAIL FROM:<${mail.from}>`, () =>
			this.#expect(250, {stage: 'mail', from: mail.from, inboxIds: this.#ownInbox()}),
		);
		/** @type {string[]} */
		const to = [];
		for (const address of isBegun || this.#isPipelined ? mail.to : []) {
			if (
				await this.#send(`RCPT TO:<${address}>`, () =>
					isBegun ? this.#recipient(mail, address) : {expectedReply: 503},
				)
			) {
				to.push(address);
			}
		}

		let isAwaited = false;
		if (to.length > 0 || this.#isPipelined) {
			isAwaited = await this.#send('DATA', () => (to.length > 0 ? this.#data(mail, to) : {expectedReply: 503}));
			await this.#flush();
		}

		if (isAwaited) {
			await this.#send(`${mail.source.replace(/(^|\r\n)\./g, '$1..')}.`, () => this.#end(mail, to));
		} else if (isBegun || mail.resets) {
			await this.#sendAlone('RSET', () => ({expectedReply: 250}));
		}
	}

	/** Sends QUIT and asserts that no further data is received. */
	async quit() {
		await this.#sendAlone('QUIT', () => ({expectedReply: 221}));
		const {text} = await this.#wire.reply();
		if (text !== '') {
			throw new Deviation(`the server also sent ${JSON.stringify(text)}`);
		}
	}

	leave() {
		this.#wire.leave();
	}

	#ownInbox() {
		return this.#login?.inbox ? [this.#login.inbox.id] : [];
	}

	/**
	 * @param {Mail} mail
	 * @param {string} address
	 * @returns {Expected}
	 */
	#recipient({from}, address) {
		const inboxIds = this.#reached([address]).map(({inbox}) => inbox.id);
		return inboxIds.length > 0
			? this.#expect(250, {stage: 'rcpt', from, to: [address], inboxIds})
			: {expectedReply: 550};
	}

	/**
	 * @param {Mail} mail
	 * @param {readonly string[]} to
	 * @returns {Expected}
	 */
	#data({from}, to) {
		const inboxIds = this.#reached(to).map(({inbox}) => inbox.id);
		const expected = this.#expect(354, {stage: 'data', from, to, inboxIds});
		this.#cutAt = expected.cut === 'half' && !expected.hit?.rule.line ? expected.hit : undefined;
		return this.#cutAt ? {expectedReply: 354, hit: this.#cutAt} : expected;
	}

	/** Hit that drops the connection in the middle of the data. @type {ModelHit | undefined} */
	#cutAt;

	/**
	 * @param {Mail} mail
	 * @param {readonly string[]} to
	 * @returns {Expected}
	 */
	#end({from, subject, source}, to) {
		if (this.#cutAt) {
			return {expectedReply: 250, cut: 'nothing'};
		}

		const reached = this.#reached(to);
		const inboxIds = reached.map(({inbox}) => inbox.id);
		const expected = this.#expect(250, {stage: 'end', from, to, inboxIds, subject, source});
		if (expected.expectedReply === 250 && expected.hit?.rule.input.drop !== 'before') {
			for (const {inbox, to: first} of reached) {
				inbox.stored.push({subject, from, to, first});
			}
		}

		return expected;
	}

	/**
	 * The distinct inboxes of recipients.
	 * @param {readonly string[]} recipients
	 */
	#reached(recipients) {
		const own = this.#login?.inbox;
		const found = new Map();
		for (const to of recipients) {
			const inbox = own ?? this.#world.inboxOf(to);
			if (inbox && !found.has(inbox)) {
				found.set(inbox, {inbox, to});
			}
		}

		return /** @type {Array<{inbox: Inbox, to: string}>} */ ([...found.values()]);
	}

	/**
	 * @param {number} usual reply code unless a rule hits
	 * @param {Partial<Occasion> & Pick<Occasion, 'stage'>} facts
	 * @returns {Expected}
	 */
	#expect(usual, facts) {
		const user = this.#login?.user ?? null;
		const hit = evaluateRules(this.#world.rules, {user, inboxIds: [], from: null, to: [], helo: this.#helo, ...facts});
		if (!hit) {
			return {expectedReply: usual};
		}

		const {drop, delay_ms: afterMs, byte_delay_ms: perByte} = hit.rule.input;
		const cut = drop === 'mid' ? 'half' : drop ? 'nothing' : undefined;
		return {
			expectedReply: hit.rule.line ?? usual,
			hit,
			afterMs: afterMs ?? 0,
			perByte: perByte ?? 0,
			...(cut && {cut}),
		};
	}

	/**
	 * @param {string} command
	 * @param {() => Expected} expect
	 */
	async #sendAlone(command, expect) {
		const isAccepted = await this.#send(command, expect);
		await this.#flush();
		return isAccepted;
	}

	/**
	 * Sends a command now or, with pipelining, together with the next ones. Returns true for a positive reply.
	 * @param {string} command
	 * @param {() => Expected} expect
	 */
	async #send(command, expect) {
		const expected = this.isOver ? undefined : expect();
		if (expected || this.#unsent.length > 0) {
			this.#unsent.push({text: command === '' ? '' : `${command}\r\n`, expected});
		}

		this.isOver ||= expected?.cut !== undefined;
		if (!this.#isPipelined) {
			await this.#flush();
		}

		return expected !== undefined && !expected.cut && isPositive(expected.expectedReply);
	}

	/** Sends the pending commands and compares their replies. */
	async #flush() {
		const group = this.#unsent;
		this.#unsent = [];
		const sentAt = performance.now();
		this.#wire.send(group.map(({text}) => text).join(''));
		let tookMs = 0;
		for (const {text, expected} of group) {
			this.transcript.push(`> ${text.length > 200 ? `${text.length} bytes` : text.trimEnd()}`);
			if (expected) {
				tookMs += await this.#compare(expected, sentAt + tookMs);
			}
		}
	}

	/**
	 * Compares the next reply. Returns its minimum duration in milliseconds.
	 * @param {Expected} expected
	 * @param {number} since
	 */
	async #compare({expectedReply, cut, hit, afterMs = 0, perByte = 0}, since) {
		const {text, isWhole} = await this.#wire.reply();
		this.transcript.push(`< ${JSON.stringify(text)}`);
		const line = text.replace(/\r\n$/, '');
		const leastMs = afterMs + perByte * Math.max(0, text.length - 1) - earlyMs;
		if (performance.now() - since < leastMs) {
			throw new Deviation(`the reply arrived before ${leastMs} ms`);
		}

		if (!(cut ? !isWhole && isPart(text, expectedReply, cut) : isWhole && matchesReply(line, expectedReply))) {
			throw new Deviation(`expected ${cut ? `${cut} of ` : ''}${expectedReply}`);
		}

		if (hit?.rule.line) {
			hit.expectedReply = cut === 'nothing' ? null : cut ? hit.rule.line : line;
		}

		return Math.max(0, leastMs);
	}
}

/** @param {Expected['expectedReply']} expectedReply */
function isPositive(expectedReply) {
	return typeof expectedReply === 'number' && expectedReply < 400;
}

/**
 * @param {string} line
 * @param {Expected['expectedReply']} expectedReply
 */
function matchesReply(line, expectedReply) {
	return typeof expectedReply === 'string'
		? line === expectedReply
		: expectedReply instanceof RegExp
			? expectedReply.test(line)
			: line.startsWith(`${expectedReply}`);
}

/**
 * @param {string} text
 * @param {Expected['expectedReply']} expectedReply
 * @param {'half' | 'nothing'} cut
 */
function isPart(text, expectedReply, cut) {
	if (cut === 'nothing') {
		return text === '';
	}

	const begins =
		typeof expectedReply === 'string'
			? expectedReply
			: expectedReply instanceof RegExp
				? '450 4.7.1'
				: `${expectedReply}`;
	return text !== '' && (text.startsWith(begins.slice(0, text.length)) || begins.startsWith(text));
}
