import type {FeedItem} from '../../domain/feed.js';
import type {EventReading} from '../port.js';
import type {AnySql} from './connection.js';
import {type EventBounds, type EventRow, readEvents, scopeChanged} from './event-log.js';

/** A place in the log: before this item of the row, or of the next row there is. */
type Place = {readonly xid: number; readonly index: number};

/** Asks the log, with what `ownHorizon` told where that is needed. */
export type AskLog = <Bounds extends EventBounds>(
	ask: (sql: AnySql, known: number) => Promise<Bounds>,
) => Promise<Bounds>;

/** Reads the log behind cursors, which are good on all nodes of a store: they name the store, its timeline, and a place. */
export class EventReader {
	readonly #storeId: string;
	readonly #ask: AskLog;
	readonly #underWay = new Map<string, Promise<EventReading | undefined>>();

	constructor(storeId: string, ask: AskLog) {
		this.#storeId = storeId;
		this.#ask = ask;
	}

	/** The cursor behind all that can be read. */
	endOf(bounds: EventBounds): string {
		return this.#cursorOf({xid: bounds.end, index: 0}, bounds);
	}

	/** As the port says. Those who ask for the same at the same time are answered together. */
	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const key = `${maxItems} ${cursor}`;
		const reading = this.#underWay.get(key) ?? this.#read(cursor, maxItems).finally(() => this.#underWay.delete(key));
		this.#underWay.set(key, reading);
		return reading;
	}

	/** As the port says. */
	async isSameScope(userId: string, cursor: string): Promise<boolean> {
		const place = placeOf(cursor);
		if (!place) {
			return false;
		}

		const asked = {from: place.xid, userId};
		const {isChanged, ...bounds} = await this.#ask((sql, known) => scopeChanged(sql, known, asked));
		return !isChanged && this.#isKnown(cursor, place, bounds);
	}

	async #read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const place = placeOf(cursor);
		if (!place) {
			return undefined;
		}

		const asked = {from: place.xid, maxRows: maxItems};
		const {rows, ...bounds} = await this.#ask((sql, known) => readEvents(sql, known, asked));
		if (!this.#isKnown(cursor, place, bounds)) {
			return undefined;
		}

		const found = rows.flatMap(row => itemsBehind(place, row)).slice(0, maxItems);
		return {
			items: found.map(({item}) => item),
			cursorAfter: count => {
				const behind = count === 0 ? place : found[count - 1]?.behind;
				const isBehindAll = found.length === 0 && place.xid < bounds.end;
				return isBehindAll || !behind ? this.endOf(bounds) : this.#cursorOf(behind, bounds);
			},
		};
	}

	#isKnown(cursor: string, place: Place, bounds: EventBounds): boolean {
		return cursor === this.#cursorOf(place, bounds) && place.xid >= bounds.start && place.xid <= bounds.newest;
	}

	#cursorOf({xid, index}: Place, {timeline}: EventBounds): string {
		return `${this.#storeId}.${timeline}:${xid}${index === 0 ? '' : `.${index}`}`;
	}
}

function placeOf(cursor: string): Place | undefined {
	const [found, xid = '', index = '0'] = /:(\d{1,15})(?:\.(\d{1,9}))?$/.exec(cursor) ?? [];
	return found === undefined ? undefined : {xid: Number(xid), index: Number(index)};
}

/** The items of a row that are behind the place, each with the place behind it. */
function itemsBehind(place: Place, {xid, items}: EventRow): ReadonlyArray<{item: FeedItem; behind: Place}> {
	const first = xid === place.xid ? place.index : 0;
	return items.slice(first).map((item, offset) => {
		const index = first + offset + 1;
		return {item, behind: index === items.length ? {xid: xid + 1, index: 0} : {xid, index}};
	});
}
