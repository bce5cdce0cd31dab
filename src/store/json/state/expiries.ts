import type {Inbox} from '../../../domain/mail/inbox.js';
import type {InboxScope} from '../../store.js';
import {Agenda} from './agenda.js';
import {ByAge} from './by-age.js';
import type {Index} from './table.js';

/** When the time of inboxes is over. */
export class Expiries implements Index<Inbox> {
	readonly #all = new Agenda<Inbox>(timeOf);
	readonly #ofOwner = new ByAge<Inbox>(({ownerId}) => ownerId, timeOf);
	readonly #ofTeam = new ByAge<Inbox>(({teamId}) => teamId, timeOf);

	update(before: Inbox | undefined, after: Inbox | undefined): void {
		for (const index of [this.#all, this.#ofOwner, this.#ofTeam]) {
			index.update(before, after);
		}
	}

	/** The ids of those that are over, the first first. To be read as `Agenda.until` is. */
	until(now: string): Iterable<string> {
		return this.#all.until(now);
	}

	/** When the next one is over. */
	next(): string | undefined {
		return this.#all.next();
	}

	/** Those of the user and the teams that are over. */
	in({userId, teamIds}: InboxScope, now: string): ReadonlySet<string> {
		const ofTeams = teamIds.flatMap(id => [...this.#ofTeam.until(id, now)]);
		return new Set([...this.#ofOwner.until(userId, now), ...ofTeams]);
	}
}

function timeOf({expiresAt}: Inbox): string | null {
	return expiresAt;
}
