import type {Inbox} from '../domain/inbox.js';
import {roleIn} from '../domain/role.js';
import type {User} from '../domain/user.js';
import type {MessageStore, TeamStore} from '../store/store.js';
import type {Change, Events} from './events.js';

/** What a follower is told, with the name of the place behind it. */
export type Told = {
	readonly id: string;
	readonly event:
		| {readonly type: 'ready'; readonly resumed: boolean}
		| (Exclude<Change, {type: 'scope'}> & {
				/** Of the inbox, as it is by now. */
				readonly messageCount: number;
		  });
};

export type FollowOptions = {
	/** Where to take up. */
	readonly lastEventId?: string | undefined;
	/** Asked before anything is told; nobody ends the stream, as when a key was revoked. */
	readonly identify: () => Promise<User | undefined>;
	/** After so long without news there is a batch of none. */
	readonly idleMs: number;
	readonly signal: AbortSignal;
};

/** What a follower reads of the store. */
type FollowerStore = {
	readonly messages: Pick<MessageStore, 'count'>;
	readonly teams: Pick<TeamStore, 'get'>;
};

/**
 * Tells one user what changes, in batches, until the signal aborts or the daemon stops. First comes `ready`; it comes
 * again, with `resumed` false, whenever something is missing in between.
 */
export class Follower {
	readonly #store: FollowerStore;
	readonly #events: Events;

	constructor(store: FollowerStore, events: Events) {
		this.#store = store;
		this.#events = events;
	}

	async *follow({lastEventId = '', identify, idleMs, signal}: FollowOptions): AsyncGenerator<readonly Told[]> {
		const leave = this.#events.join();
		try {
			const last = this.#events.positionOf(lastEventId);
			const resumed = last !== undefined && this.#events.since(last) !== undefined;
			let position = resumed ? last : this.#events.end;
			yield [this.#ready(position, resumed)];
			while (!signal.aborted && !this.#events.isStopped) {
				await this.#events.changed(position, idleMs, signal);
				const user = await identify();
				if (user === undefined) {
					return;
				}

				const changes = this.#events.since(position);
				const start = position;
				position = changes ? start + changes.length : this.#events.end;
				yield changes ? await this.#told(user, changes, start) : [this.#ready(position, false)];
			}
		} finally {
			leave();
		}
	}

	/** Ends all streams. */
	stop(): void {
		this.#events.stop();
	}

	#ready(position: number, resumed: boolean): Told {
		return {id: this.#events.idOf(position), event: {type: 'ready', resumed}};
	}

	async #told(user: User, changes: readonly Change[], start: number): Promise<readonly Told[]> {
		const told: Told[] = [];
		for (const [index, change] of changes.entries()) {
			const position = start + index + 1;
			if (change.type === 'scope') {
				told.push(this.#ready(position, false));
			} else if (await this.#mayKnow(user, change)) {
				const messageCount = 'inbox' in change ? await this.#store.messages.count(change.inbox.id) : 0;
				told.push({id: this.#events.idOf(position), event: {...change, messageCount}});
			}
		}

		return told;
	}

	async #mayKnow(user: User, change: Exclude<Change, {type: 'scope'}>): Promise<boolean> {
		return change.type === 'delivery.changed' ? change.userId === user.id : this.#maySee(user, change.inbox);
	}

	async #maySee(user: User, {ownerId, teamId}: Inbox): Promise<boolean> {
		const team = ownerId === user.id || teamId === null ? undefined : await this.#store.teams.get(teamId);
		return ownerId === user.id || (team !== undefined && roleIn(team, user.id) !== undefined);
	}
}
