import {maxLimit} from '../../contract/page.js';
import {describeRefusal, type RefusalBody} from '../../contract/refusals.js';
import {isLocalUser, type User} from '../../domain/user.js';
import type {Log} from '../../lib/log.js';
import type {Inboxes} from '../inboxes/inboxes.js';

/** Refusals that are kept. */
export const maxKept = 1000;

/** Characters of each of their texts. */
const maxText = 320;

/** How many lines of the log tell of them in so many milliseconds. */
const logged = {lines: 20, inMs: 10_000};

/** What was refused, for each of these addresses. */
export type Refused = Omit<RefusalBody, 'time' | 'address'> & {readonly addresses: ReadonlyArray<string | null>};

export type RefusalsOptions = {
	readonly inboxes: Pick<Inboxes, 'hadThen'>;
	readonly now: () => Date;
	readonly log: Log;
};

/**
 * The newest refusals of mail, in memory. When there are too many, the client address with most of them loses its oldest:
 * whoever is refused very often pushes out nobody else's.
 */
export class Refusals {
	readonly #options: RefusalsOptions;
	readonly #byHost = new Map<string, RefusalBody[]>();
	#count = 0;
	readonly #lines = {since: 0, told: 0, untold: 0};

	constructor(options: RefusalsOptions) {
		this.#options = options;
	}

	add({client, stage, addresses, reply, reason}: Refused): void {
		const time = this.#options.now().toISOString();
		const host = cut(client.host);
		for (const address of addresses) {
			const refusal = {
				time,
				client: {host, helo: cut(client.helo)},
				stage,
				address: cut(address),
				reply: cut(reply),
				reason: cut(reason),
			};
			this.#keep(refusal);
			this.#tell(refusal);
		}
	}

	/** The newest of all. */
	latest(limit: number): readonly RefusalBody[] {
		return this.#newestFirst().slice(0, limit);
	}

	/** The newest that belong to a user: to the local user all, to others those of mail to inboxes that they may see. */
	async of(user: User, since = ''): Promise<readonly RefusalBody[]> {
		const own: RefusalBody[] = [];
		for (const refusal of this.#newestFirst()) {
			if (refusal.time < since || own.length === maxLimit) {
				break;
			}

			if (isLocalUser(user) || (await this.#isFor(user, refusal))) {
				own.push(refusal);
			}
		}

		return own;
	}

	async #isFor(user: User, {stage, address, time}: RefusalBody): Promise<boolean> {
		const hasRecipient = stage === 'rcpt' || stage === 'data';
		return hasRecipient && address !== null && this.#options.inboxes.hadThen(user, address, time);
	}

	#newestFirst(): readonly RefusalBody[] {
		const kept = [...this.#byHost.values()].flat().reverse();
		return kept.sort((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0));
	}

	#keep(refusal: RefusalBody): void {
		const {host} = refusal.client;
		const own = this.#byHost.get(host) ?? [];
		own.push(refusal);
		this.#byHost.set(host, own);
		this.#count++;
		if (this.#count > maxKept) {
			const [most, refusals] = [...this.#byHost].reduce((most, next) =>
				next[1].length > most[1].length ? next : most,
			);
			refusals.shift();
			this.#count--;
			if (refusals.length === 0) {
				this.#byHost.delete(most);
			}
		}
	}

	/** A flood of them is told in part, so that the log keeps what else is in it. */
	#tell(refusal: RefusalBody): void {
		const lines = this.#lines;
		const now = Date.parse(refusal.time);
		if (now - lines.since >= logged.inMs) {
			lines.since = now;
			lines.told = 0;
		}

		if (lines.told === logged.lines) {
			lines.untold++;
			return;
		}

		const {client, reply} = refusal;
		const untold = lines.untold > 0 ? {untold: lines.untold} : {};
		this.#options.log.info({client, reply, ...untold}, `Refused ${describeRefusal(refusal)}`);
		lines.told++;
		lines.untold = 0;
	}
}

function cut<Text extends string | null>(text: Text): Text | string {
	return text !== null && text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
}
