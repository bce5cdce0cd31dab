import {maxLimit, type RefusalStage} from '../contract/constants.js';
import type {RefusalBody} from '../contract/daemon.js';
import {describeRefusal} from '../contract/descriptions.js';
import {isLocalUser, type User} from '../domain/accounts/user.js';
import type {Inbox} from '../domain/mail/inbox.js';
import {type Log, type LogIds, ThrottledLog} from '../lib/log.js';
import {shortText} from '../lib/text/sanitize.js';
import type {Inboxes} from './inboxes/inboxes.js';
import type {InboxLogins} from './inboxes/logins.js';
import type {Observer} from './observer.js';

/** Maximum number of refusals in memory. */
export const maxKept = 1000;

/** Refusal to record, one per address. */
export type NewRefusal = Omit<RefusalBody, 'time' | 'address'> & {
	readonly addresses: ReadonlyArray<string | null>;
	readonly ids?: LogIds;
};

/** Recorded refusal, its time in milliseconds, and the inbox that the mail was for. */
type RecordedRefusal = {
	readonly refusal: RefusalBody;
	readonly at: number;
	readonly inboxId: Promise<string | undefined>;
};

export type RefusalsOptions = {
	readonly inboxes: Pick<Inboxes, 'resolve' | 'sees'>;
	readonly logins: Pick<InboxLogins, 'named'>;
	readonly observer: Pick<Observer, 'refusal'>;
	readonly now: () => Date;
	readonly log: Log;
};

/**
 * Latest refusals of mail, in memory. If there are too many, the oldest of the client address with the most is dropped: one client
 * cannot displace the refusals of others.
 */
export class Refusals {
	readonly #options: RefusalsOptions;
	readonly #byHost = new Map<string, RecordedRefusal[]>();
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
		const host = shortText(client.host);
		for (const address of addresses) {
			const refusal = {
				time,
				client: {host, helo: shortText(client.helo)},
				stage,
				address: shortText(address),
				reply: shortText(reply),
				reason: shortText(reason),
			};
			this.#keep({refusal, at, inboxId: this.#inboxOf(refusal)});
			this.#lines.info(
				{...ids, client: refusal.client, reply: refusal.reply},
				`Rejected ${describeRefusal(refusal)}`,
				at,
			);
		}
	}

	/** Latest refusals, newest first. */
	latest(limit: number): readonly RefusalBody[] {
		return this.#newestFirst()
			.slice(0, limit)
			.map(({refusal}) => refusal);
	}

	/** Latest refusals that a user may see: of mail for visible inboxes; for the local user, all of them. */
	async of(user: User, since = ''): Promise<readonly RefusalBody[]> {
		const visible: RefusalBody[] = [];
		for (const {refusal, inboxId} of this.#newestFirst()) {
			if (refusal.time < since || visible.length === maxLimit) {
				break;
			}

			const id = await inboxId;
			if (isLocalUser(user) || (id !== undefined && (await this.#options.inboxes.sees(user, id)))) {
				visible.push(refusal);
			}
		}

		return visible;
	}

	/** Resolves the inbox at once: a later owner of the address must not see the refusal. */
	async #inboxOf({stage, address}: RefusalBody): Promise<string | undefined> {
		const {inboxes, logins} = this.#options;
		const resolvers: Partial<Record<RefusalStage, (name: string) => Promise<Inbox | undefined>>> = {
			auth: async username => logins.named(username),
			rcpt: async recipient => inboxes.resolve(recipient),
			data: async recipient => inboxes.resolve(recipient),
		};
		const inbox = address === null ? undefined : await resolvers[stage]?.(address).catch(() => undefined);
		return inbox?.id;
	}

	#newestFirst(): readonly RecordedRefusal[] {
		const recorded = [...this.#byHost.values()].flat().reverse();
		return recorded.sort((one, other) => other.at - one.at);
	}

	#keep(recorded: RecordedRefusal): void {
		const {host} = recorded.refusal.client;
		const ofHost = this.#byHost.get(host) ?? [];
		ofHost.push(recorded);
		this.#byHost.set(host, ofHost);
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
