import {setTimeout as sleep} from 'node:timers/promises';
import {pick} from '../random.js';
import {Rule} from './model.js';
import {randomRule} from './random-rule.js';
import {Deviation, FaultSession} from './session.js';
import {faultsOf, pathOf, verifyInbox, verifyRule} from './verify.js';

/**
 * @typedef {import('./model.js').FaultInput} FaultInput
 * @typedef {import('../random.js').Random} Random
 *
 * @typedef {object} Inbox
 * @property {string} id
 * @property {string} address
 * @property {{username: string, password: string}} smtp
 * @property {Array<{subject: string, from: string, to: readonly string[], first: string}>} stored expected messages, oldest first
 *
 * @typedef {object} Mail
 * @property {string} from
 * @property {readonly string[]} to
 * @property {string} subject
 * @property {string} source ends with a line break
 * @property {boolean} resets sends RSET even if MAIL was rejected
 *
 * @typedef {object} Found
 * @property {number} sessions
 * @property {number} mails number of mails attempted
 * @property {number} hits
 * @property {number} stored
 */

/** A set of random inboxes and rules, including rules of the daemon, and the sessions that run under them one by one. */
export class World {
	/** Current rules in order of creation. @type {Rule[]} */
	rules = [];
	/** @type {Rule[]} */
	#deleted = [];
	/** @type {Inbox[]} */
	#inboxes = [];
	/** @type {Found} */
	found = {sessions: 0, mails: 0, hits: 0, stored: 0};
	#number;
	#random;
	#draws;
	#client;
	#operator;
	/** True if no other world runs, so that rules may apply to all connections. */
	#isAlone;

	/**
	 * @param {number} number
	 * @param {{random: Random, draws: import('./model.js').Draws, client: import('../client.js').Client, operator: import('../client.js').Client, isAlone: boolean}} options
	 */
	constructor(number, {random, draws, client, operator, isAlone}) {
		this.#number = number;
		this.#random = random;
		this.#draws = draws;
		this.#client = client;
		this.#operator = operator;
		this.#isAlone = isAlone;
	}

	/** The inbox that receives mail for an address. @param {string} address */
	inboxOf(address) {
		const untagged = address.toLowerCase().replace(/\+[^@]*/, '');
		return this.#inboxes.find(inbox => inbox.address === untagged);
	}

	/**
	 * Creates inboxes and rules, plays the sessions and verifies the result. Throws a `Deviation`.
	 * @param {import('../start.js').Address} smtp
	 * @param {number} sessions
	 */
	async prove(smtp, sessions) {
		try {
			for (let left = 1 + this.#random(3); left > 0; left--) {
				this.#inboxes.push({...inboxOf(await this.#client.json('POST', '/inboxes', {})), stored: []});
			}

			for (let left = 1 + this.#random(7); left > 0; left--) {
				await this.#add();
			}

			await this.#outliveSome();
			for (let session = 0; session < sessions; session++) {
				await this.#play(smtp, session);
				await this.#changeRules();
			}

			await this.#verify();
		} finally {
			await this.#clear();
		}
	}

	async #changeRules() {
		const change = this.#random(12);
		if (change === 0) {
			await this.#add();
		} else if (change === 1 && this.rules.length > 0) {
			const [rule] = this.rules.splice(this.#random(this.rules.length), 1);
			if (rule) {
				await this.#verifyRule(rule);
				await this.#who(rule.inboxId).json('DELETE', pathOf(rule));
				this.#deleted.push(rule);
			}
		}
	}

	async #add() {
		const {input, inboxId} = randomRule(this.#random, {
			inboxes: this.#inboxes,
			domain: this.#domain,
			isAlone: this.#isAlone,
		});
		const {id} = await this.#who(inboxId).json('POST', faultsOf(inboxId), input);
		this.rules.push(new Rule(id, inboxId, input, this.#draws));
	}

	/** In some worlds, creates a rule that expires before the sessions start. */
	async #outliveSome() {
		if (this.#random(10) === 0) {
			const [inbox] = this.#inboxes;
			const path = faultsOf(inbox?.id ?? null);
			const {expires_at: end} = await this.#client.json('POST', path, {stage: 'rcpt', drop: 'before', ttl: 1});
			await sleep(Math.max(0, Date.parse(end) - Date.now()) + 1);
		}
	}

	get #domain() {
		return `sender-${this.#number}.test`;
	}

	/** @param {string | null} inboxId */
	#who(inboxId) {
		return inboxId === null ? this.#operator : this.#client;
	}

	/**
	 * @param {import('../start.js').Address} smtp
	 * @param {number} number
	 */
	async #play(smtp, number) {
		const random = this.#random;
		const session = new FaultSession(this, smtp, {
			helo: `client-${number}.world-${this.#number}.test`,
			isPipelined: random(3) === 0,
		});
		this.found.sessions++;
		try {
			await this.#playSession(session, number);
		} catch (error) {
			throw new Deviation(
				`${error instanceof Error ? error.message : error} at the end of\n${session.transcript.join('\n')}`,
				{cause: error},
			);
		} finally {
			session.leave();
		}
	}

	/**
	 * @param {FaultSession} session
	 * @param {number} number
	 */
	async #playSession(session, number) {
		const random = this.#random;
		const again = random(3);
		if (!(await session.greet())) {
			return;
		}

		const hello = () => untilAccepted(again, () => session.hello(random(8) === 0 ? 'HELO' : 'EHLO'));
		if (!(await hello())) {
			await session.quit();
			return;
		}

		if (random(10) === 0 && (await session.beginTls()) && !(await hello())) {
			await session.quit();
			return;
		}

		if (random(3) === 0) {
			const [inbox] = random(4) === 0 ? [] : [pick(random, this.#inboxes)];
			const user = inbox?.smtp.username ?? `app.${this.#domain}`;
			const way = random(4);
			await untilAccepted(again, () => session.logIn({user, password: inbox?.smtp.password ?? 'any', inbox}, way));
		}

		for (let left = 1 + random(4); left > 0 && !session.isOver; left--) {
			this.found.mails++;
			const mail = this.#mail(`${number}-${left}`);
			await session.send(mail);
			for (let more = random(3); more > 0 && !session.isOver; more--) {
				this.found.mails++;
				await session.send(mail);
			}
		}

		await session.quit();
	}

	/**
	 * @param {string} name
	 * @returns {Mail}
	 */
	#mail(name) {
		const random = this.#random;
		const tags = ['', '', '+a', '+b'];
		const to = Array.from({length: 1 + random(3)}, () => {
			const [local, domain] = pick(random, this.#inboxes).address.split('@');
			const address = `${local}${pick(random, tags)}@${domain}`;
			return random(5) === 0 ? address.toUpperCase() : address;
		});
		const unlike = to.filter(
			(address, index) => to.findIndex(one => one.toLowerCase() === address.toLowerCase()) === index,
		);
		// Equal subjects make some mails repeat earlier ones.
		const subject = random(3) === 0 ? `Mail ${name}` : `${pick(random, ['Reset', 'Hello', 'Order'])} ${random(3)}`;
		const messageId = random(2) === 0 ? [`Message-ID: <${random(6)}@${this.#domain}>`] : [];
		const body =
			random(10) === 0 ? Array(2 + random(600)).fill('A line of a larger mail, with a dot in front.\r\n.') : ['Hello.'];
		return {
			from: `${pick(random, ['shop', 'login'])}@${this.#domain}`,
			to: random(8) === 0 ? [...unlike, 'nobody@nowhere.test'] : unlike,
			subject,
			source: [`Subject: ${subject}`, ...messageId, '', ...body, ''].join('\r\n'),
			resets: random(2) === 0,
		};
	}

	/** Throws unless messages, counts and hits equal the model. */
	async #verify() {
		for (const rule of this.rules) {
			await this.#verifyRule(rule);
		}

		for (const inbox of this.#inboxes) {
			const rules = [...this.rules, ...this.#deleted].filter(({inboxId}) => inboxId === inbox.id);
			await verifyInbox(this.#client, inbox, rules);
			this.found.stored += inbox.stored.length;
		}
	}

	/** @param {Rule} rule */
	async #verifyRule(rule) {
		await verifyRule(this.#who(rule.inboxId), pathOf(rule), rule);
		this.found.hits += rule.modelHits.length;
	}

	/** Deletes all inboxes and rules of the daemon that were created. */
	async #clear() {
		for (const {id} of this.rules.filter(rule => rule.inboxId === null)) {
			await this.#operator.json('DELETE', `/faults/${id}`);
		}

		for (const {id} of this.#inboxes) {
			await this.#client.json('DELETE', `/inboxes/${id}`);
		}
	}
}

/** @param {import('../../../../src/contract/inboxes.js').CreatedInboxBody} body */
function inboxOf({id, email_address: address, smtp}) {
	return {id, address, smtp: {username: smtp?.username ?? '', password: smtp?.password ?? ''}};
}

/**
 * @param {number} again maximum number of retries
 * @param {() => Promise<boolean>} attempt
 */
async function untilAccepted(again, attempt) {
	let isAccepted = await attempt();
	for (let left = again; !isAccepted && left > 0; left--) {
		isAccepted = await attempt();
	}

	return isAccepted;
}
