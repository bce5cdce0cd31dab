import {meet} from './model.js';
import {Wire} from './wire.js';

/**
 * @typedef {import('./model.js').Act} Act
 * @typedef {import('./model.js').Occasion} Occasion
 * @typedef {import('./world.js').World} World
 * @typedef {import('./world.js').Inbox} Inbox
 * @typedef {import('./world.js').Mail} Mail
 *
 * @typedef {object} Expected
 * @property {string | RegExp | number} told a whole line, what it is like, or the code of several
 * @property {'half' | 'nothing'} [cut] all that is heard of it, for the connection is over then
 * @property {number} [afterMs] before it
 * @property {number} [perByte] milliseconds
 * @property {Act} [act] of which it comes
 */

/** What timers may be early by. */
const earlyMs = 2;

/** Something happened that must not. */
export class Deviation extends Error {}

/**
 * One session, played and compared with what must happen, reply by reply. What the connection does not live to see is
 * sent all the same, and must have no effect. Throws a `Deviation`.
 */
export class Talk {
	/** What was said so far. @type {string[]} */
	transcript = [];
	/** Whether the connection is to be over. */
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

	/** Whether the server goes along, as all that follow. */
	async greet() {
		return this.#sayAlone('', () => this.#meet(220, {stage: 'connect', helo: null}));
	}

	/** @param {'EHLO' | 'HELO'} verb */
	async hello(verb) {
		return this.#sayAlone(`${verb} ${this.#helo}`, () => this.#meet(250, {stage: 'helo'}));
	}

	async beginTls() {
		const isTaken = await this.#sayAlone('STARTTLS', () => this.#meet(220, {stage: 'starttls'}));
		if (isTaken) {
			await this.#wire.beginTls();
			this.transcript.push('- TLS');
		}

		return isTaken;
	}

	/**
	 * @param {{user: string, password: string, inbox: Inbox | undefined}} login
	 * @param {number} way 0 to 3
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
			await this.#sayAlone(step, () => ({told: 334}));
		}

		const inboxIds = inbox ? [inbox.id] : [];
		const isTaken = await this.#sayAlone(steps.at(-1) ?? '', () => this.#meet(235, {stage: 'auth', user, inboxIds}));
		this.#login = isTaken ? {user, inbox} : undefined;
		return isTaken;
	}

	/**
	 * Sends one mail as far as that goes; pipelined with its envelope in one piece, behind the data of the mail before.
	 * @param {Mail} mail
	 */
	async send(mail) {
		const isBegun = await this.#say(`MAIL FROM:<${mail.from}>`, () =>
			this.#meet(250, {stage: 'mail', from: mail.from, inboxIds: this.#ownInbox()}),
		);
		/** @type {string[]} */
		const to = [];
		for (const address of isBegun || this.#isPipelined ? mail.to : []) {
			if (await this.#say(`RCPT TO:<${address}>`, () => (isBegun ? this.#recipient(mail, address) : {told: 503}))) {
				to.push(address);
			}
		}

		let isAwaited = false;
		if (to.length > 0 || this.#isPipelined) {
			isAwaited = await this.#say('DATA', () => (to.length > 0 ? this.#data(mail, to) : {told: 503}));
			await this.#flush();
		}

		if (isAwaited) {
			await this.#say(`${mail.source.replace(/(^|\r\n)\./g, '$1..')}.`, () => this.#end(mail, to));
		} else if (isBegun || mail.resets) {
			await this.#sayAlone('RSET', () => ({told: 250}));
		}
	}

	/** Ends the session, and sees that nothing more is said. */
	async quit() {
		await this.#sayAlone('QUIT', () => ({told: 221}));
		const {text} = await this.#wire.reply();
		if (text !== '') {
			throw new Deviation(`the server also said ${JSON.stringify(text)}`);
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
		return inboxIds.length > 0 ? this.#meet(250, {stage: 'rcpt', from, to: [address], inboxIds}) : {told: 550};
	}

	/**
	 * @param {Mail} mail
	 * @param {readonly string[]} to
	 * @returns {Expected}
	 */
	#data({from}, to) {
		const inboxIds = this.#reached(to).map(({inbox}) => inbox.id);
		const expected = this.#meet(354, {stage: 'data', from, to, inboxIds});
		this.#cutAt = expected.cut === 'half' && !expected.act?.rule.line ? expected.act : undefined;
		return this.#cutAt ? {told: 354, act: this.#cutAt} : expected;
	}

	/** What ends the connection in the middle of the data. @type {Act | undefined} */
	#cutAt;

	/**
	 * @param {Mail} mail
	 * @param {readonly string[]} to
	 * @returns {Expected}
	 */
	#end({from, subject, source}, to) {
		if (this.#cutAt) {
			return {told: 250, cut: 'nothing'};
		}

		const reached = this.#reached(to);
		const inboxIds = reached.map(({inbox}) => inbox.id);
		const expected = this.#meet(250, {stage: 'end', from, to, inboxIds, subject, source});
		if (expected.told === 250 && expected.act?.rule.asked.drop !== 'before') {
			for (const {inbox, to: first} of reached) {
				inbox.stored.push({subject, from, to, first});
			}
		}

		return expected;
	}

	/**
	 * The inboxes that recipients lead to, each once.
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
	 * @param {number} usual the code that is told unless a rule acts
	 * @param {Partial<Occasion> & Pick<Occasion, 'stage'>} facts
	 * @returns {Expected}
	 */
	#meet(usual, facts) {
		const user = this.#login?.user ?? null;
		const act = meet(this.#world.rules, {user, inboxIds: [], from: null, to: [], helo: this.#helo, ...facts});
		if (!act) {
			return {told: usual};
		}

		const {drop, delay_ms: afterMs, byte_delay_ms: perByte} = act.rule.asked;
		const cut = drop === 'mid' ? 'half' : drop ? 'nothing' : undefined;
		return {told: act.rule.line ?? usual, act, afterMs: afterMs ?? 0, perByte: perByte ?? 0, ...(cut && {cut})};
	}

	/**
	 * @param {string} command
	 * @param {() => Expected} expect
	 */
	async #sayAlone(command, expect) {
		const isTaken = await this.#say(command, expect);
		await this.#flush();
		return isTaken;
	}

	/**
	 * Says it now or together with what follows; whether the server goes along.
	 * @param {string} command
	 * @param {() => Expected} expect
	 */
	async #say(command, expect) {
		const expected = this.isOver ? undefined : expect();
		if (expected || this.#unsent.length > 0) {
			this.#unsent.push({text: command === '' ? '' : `${command}\r\n`, expected});
		}

		this.isOver ||= expected?.cut !== undefined;
		if (!this.#isPipelined) {
			await this.#flush();
		}

		return expected !== undefined && !expected.cut && isPositive(expected.told);
	}

	/** Sends what there is to send, and compares what comes back. */
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
	 * Throws unless the next that is heard is what must be; the milliseconds that it has to take.
	 * @param {Expected} expected
	 * @param {number} since
	 */
	async #compare({told, cut, act, afterMs = 0, perByte = 0}, since) {
		const {text, isWhole} = await this.#wire.reply();
		this.transcript.push(`< ${JSON.stringify(text)}`);
		const line = text.replace(/\r\n$/, '');
		const leastMs = afterMs + perByte * Math.max(0, text.length - 1) - earlyMs;
		if (performance.now() - since < leastMs) {
			throw new Deviation(`that came before ${leastMs} ms were over`);
		}

		if (!(cut ? !isWhole && isPart(text, told, cut) : isWhole && isTold(line, told))) {
			throw new Deviation(`expected ${cut ? `${cut} of ` : ''}${told}`);
		}

		if (act?.rule.line) {
			act.told = cut === 'nothing' ? null : cut ? act.rule.line : line;
		}

		return Math.max(0, leastMs);
	}
}

/** @param {Expected['told']} told */
function isPositive(told) {
	return typeof told === 'number' && told < 400;
}

/**
 * @param {string} line
 * @param {Expected['told']} told
 */
function isTold(line, told) {
	return typeof told === 'string'
		? line === told
		: told instanceof RegExp
			? told.test(line)
			: line.startsWith(`${told}`);
}

/**
 * @param {string} text
 * @param {Expected['told']} told
 * @param {'half' | 'nothing'} cut
 */
function isPart(text, told, cut) {
	if (cut === 'nothing') {
		return text === '';
	}

	const begins = typeof told === 'string' ? told : told instanceof RegExp ? '450 4.7.1' : `${told}`;
	return text !== '' && (text.startsWith(begins.slice(0, text.length)) || begins.startsWith(text));
}
