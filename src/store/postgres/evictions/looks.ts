import type {FeedItem} from '../../../domain/feed.js';
import {endOfKeeping, type Keeping, keepingOf} from '../../../domain/mail/inbox.js';
import {evictionEvents} from '../../rules/inboxes.js';
import type {Transaction} from '../connection.js';
import type {Database} from '../database.js';
import {lockInboxes, ownKeeping} from '../lock-inboxes.js';
import {atOnce, evict, messagesAtOnce, oldestMessages} from './evict.js';
import type {Leavings} from './leavings.js';

/** Inboxes that are looked at before others have a turn. */
const inboxesAtOnce = 20;

/** Inboxes of which one statement finds out when they are to be looked at. */
const inboxesAtStart = 1000;

export type EvictionParts = {
	readonly database: Database;
	/** What inboxes keep that say nothing themselves. */
	readonly byDefault: Keeping;
	readonly leavings: Leavings;
};

type Found = {readonly id: string; readonly messages: number; readonly latestAt: string | null} & Partial<Keeping>;

/** Evicts what does not go with new mail: what is too old, and what is too much since somebody said so. */
export class EvictionLooks {
	readonly #parts: EvictionParts;
	#start: Promise<void> | undefined;

	constructor(parts: EvictionParts) {
		this.#parts = parts;
	}

	/** When an inbox is to be looked at next. Asked for the first time, it finds that out for all: the default may be another one now. */
	async next(): Promise<string | undefined> {
		this.#start ??= this.#findAll().catch(error => {
			this.#start = undefined;
			throw error;
		});
		await this.#start;
		const [next] = await this.#parts.database.run(
			sql => sql<{at: string | null}[]>`select min(evict_at) as at from inboxes`,
		);
		return next?.at ?? undefined;
	}

	/** Looks at some of the inboxes whose time it is. Other nodes may do the same. */
	async evict(now: string): Promise<readonly FeedItem[]> {
		const {database, leavings} = this.#parts;
		const due = await database.run(
			sql => sql<{id: string}[]>`
				select id from inboxes where evict_at <= ${now} order by evict_at limit ${inboxesAtOnce}
			`,
		);
		const news: FeedItem[] = [];
		for (const {id} of due) {
			news.push(...(await database.begin(async sql => this.#evictFrom(sql, id, now))));
			leavings.add([id]);
		}

		return news;
	}

	async #evictFrom(sql: Transaction, id: string, now: string): Promise<readonly FeedItem[]> {
		const [, [inbox]] = await Promise.all([
			sql`select from users where id = (select owner_id from inboxes where id = ${id}) for no key update`,
			lockInboxes(sql, [id]),
		]);
		if (inbox === undefined || inbox.evictAt === null || inbox.evictAt > now) {
			return [];
		}

		const keeping = keepingOf(inbox, this.#parts.byDefault);
		const [behind, most] = [inbox.clearedPlace, messagesAtOnce + 1];
		const oldest = await oldestMessages(sql, [{id, behind, most}]);
		const ends = oldest.map(({latestAt}) => endOfKeeping(latestAt, keeping));
		const aged = ends.filter(end => end !== undefined && end <= now).length;
		const tooMany = Math.max(aged, keeping.keep === null ? 0 : inbox.messages - keeping.keep);
		const count = Math.min(tooMany, messagesAtOnce);
		const gone = oldest.slice(0, count);
		const nextAt = tooMany > count ? atOnce : (ends[count] ?? null);
		await evict(sql, [{id, upTo: gone.at(-1)?.place ?? behind, count, nextAt}]);
		return evictionEvents(
			inbox,
			gone.map(message => message.id),
		);
	}

	/** Sets, for each inbox that does not keep all for ever, when it is to be looked at, or leaves it when that is sooner. */
	async #findAll(): Promise<void> {
		const {database, byDefault} = this.#parts;
		const hasDefault = byDefault.keep !== null || byDefault.keepForMs !== null;
		let after = '';
		for (let isOver = false; !isOver; ) {
			const found = await database.run(
				sql => sql<Found[]>`
					select i.id, i.messages, ${ownKeeping(sql)}, oldest.latest_at as "latestAt" from inboxes i
					left join lateral (
						select latest_at from messages where inbox_id = i.id and place > i.cleared_place order by place limit 1
					) as oldest on true
					where i.id > ${after} and i.messages > 0
						and (${hasDefault} or row ->> 'keep' is not null or row ->> 'keepForMs' is not null)
					order by i.id limit ${inboxesAtStart}
				`,
			);
			const looks = found.flatMap(inbox => {
				const keeping = keepingOf(inbox, byDefault);
				const isTooMany = keeping.keep !== null && inbox.messages > keeping.keep;
				const at = isTooMany ? atOnce : endOfKeeping(inbox.latestAt ?? '', keeping);
				return at === undefined ? [] : [{id: inbox.id, at}];
			});
			await database.begin(
				async sql => sql`
					update inboxes set evict_at = least(evict_at, looks.at collate "C")
					from json_to_recordset(${sql.typed(looks as never, 114)}) as looks (id text, at text)
					where inboxes.id = looks.id and inboxes.id in (
						select id from inboxes where id = any(${looks.map(({id}) => id)}) order by id for no key update
					)
				`,
			);
			after = found.at(-1)?.id ?? '';
			isOver = found.length < inboxesAtStart;
		}
	}
}
