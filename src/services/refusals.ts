import {maxLimit, type RefusalStage} from '../contract/constants.js';
import type {RefusalBody} from '../contract/daemon.js';
import {describeRefusal} from '../contract/descriptions.js';
import {isLocalUser, type User} from '../domain/accounts/user.js';
import type {Inbox} from '../domain/mail/inbox.js';
import {type Log, type LogIds, ThrottledLog} from '../lib/log.js';
import {shortCopy} from '../lib/text/sanitize.js';
import type {Inboxes} from './inboxes/inboxes.js';
import type {InboxLogins} from './inboxes/logins.js';
import type {Observer} from './observer.js';

/** Refusals that are kept. */
export const maxKept = 1000;

/** Characters of each of their texts. */
const maxText = 320;

/** What was refused, for each of these addresses. */
export type NewRefusal = Omit<RefusalBody, 'time' | 'address'> & {
	readonly addresses: ReadonlyArray<string | null>;
	readonly ids?: LogIds;
};

/** A refusal, when it was (milliseconds), and the inbox whose mail it was. */
type Kept = {readonly refusal: RefusalBody; readonly at: number; readonly inboxId: Promise<string | undefined>};

export type RefusalsOptions = {
	readonly inboxes: Pick<Inboxes, 'resolve' | 'sees'>;
	readonly logins: Pick<InboxLogins, 'named'>;
	readonly observer: Pick<Observer, 'refusal'>;
	readonly now: () => Date;
	readonly log: Log;
};

/**
 * The newest refusals of mail, in memory. When there are too many, the client address with most of them loses its oldest:
 * whoever is refused very often pushes out nobody else's.
 */
export class Refusals {
	readonly #options: RefusalsOptions;
	readonly #byHost = new Map<string, Kept[]>();
	#count = 0;
	readonly #lines: ThrottledLog;

	constructor(options: RefusalsOptions) {
		this.#options = options;
		this.#lines = new ThrottledLog(options.log);
	}

	add({client, stage, addresses, reply, reason, ids}: NewRefusal): void {
		this.#options.observer.refusal(stage, reply, addresses.length);
		const now = this.#options.now();
		const [time, at] = [now.toISOString(), now.getTime()];
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
			this.#keep({refusal, at, inboxId: this.#inboxOf(refusal)});
			this.#lines.info(
				{...ids, client: refusal.client, reply: refusal.reply},
				`Rejected ${describeRefusal(refusal)}`,
				at,
			);
		}
	}

	/** The newest of all. */
	latest(limit: number): readonly RefusalBody[] {
		return this.#newestFirst()
			.slice(0, limit)
			.map(({refusal}) => refusal);
	}

	/** The newest that belong to a user: to the local user all, to others those of mail that was for inboxes they may see. */
	async of(user: User, since = ''): Promise<readonly RefusalBody[]> {
		const own: RefusalBody[] = [];
		for (const {refusal, inboxId} of this.#newestFirst()) {
			if (refusal.time < since || own.length === maxLimit) {
				break;
			}

			const id = await inboxId;
			if (isLocalUser(user) || (id !== undefined && (await this.#options.inboxes.sees(user, id)))) {
				own.push(refusal);
			}
		}

		return own;
	}

	/** By the claims of this moment: who has the address later learns nothing of it. */
	async #inboxOf({stage, address}: RefusalBody): Promise<string | undefined> {
		const {inboxes, logins} = this.#options;
		const ways: Partial<Record<RefusalStage, (name: string) => Promise<Inbox | undefined>>> = {
			auth: async username => logins.named(username),
			rcpt: async recipient => inboxes.resolve(recipient),
			data: async recipient => inboxes.resolve(recipient),
		};
		const inbox = address === null ? undefined : await ways[stage]?.(address).catch(() => undefined);
		return inbox?.id;
	}

	#newestFirst(): readonly Kept[] {
		const kept = [...this.#byHost.values()].flat().reverse();
		return kept.sort((one, other) => other.at - one.at);
	}

	#keep(kept: Kept): void {
		const {host} = kept.refusal.client;
		const own = this.#byHost.get(host) ?? [];
		own.push(kept);
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
}

function cut<Text extends string | null>(text: Text): Text | string {
	return text && shortCopy(text, maxText);
}
