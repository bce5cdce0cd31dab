import {type Delivery, maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import type {DeliveryBudget, Due} from '../../port.js';
import {RemainingBudget} from '../../rules/webhooks.js';
import type {Database} from '../database.js';
import {DueEndpoints, type Waiting, type Wish} from './due-endpoints.js';
import {firstOfEach, type Holder, holdDelivery, holdFirst, holdInterrupted} from './hold.js';
import {reopenDelivery, shelveFinished} from './log.js';
import {wholeDelivery} from './rows.js';

/** Longer than an attempt and what follows take. By the clock of the database; nobody renews it. */
const lease = '30 seconds';

/** A look at all endpoints: this often at most, and for this part of the time at most. */
const looks = {everyMs: 1000, part: 1 / 20};

/** What is deleted stays in the way of those who look for what is due; it is passed over from here on, or later. */
const floorMs = 10_000;

const interruptedAtOnce = 100;

/**
 * Which node sends which delivery. DeliveryLeases of an endpoint are given one after the other, under the lock of its row, so that no
 * two nodes count the same four.
 */
export class DeliveryLeases {
	readonly #due = new DueEndpoints();
	readonly #database: Database;
	readonly #nodeId: string;
	readonly #holder: Holder;
	#lookAt = 0;

	constructor(database: Database, nodeId: string) {
		this.#database = database;
		this.#nodeId = nodeId;
		this.#holder = {nodeId, lease};
	}

	/** Takes note of what was stored that is due then. */
	note(stored: readonly Waiting[]): void {
		for (const each of stored) {
			this.#due.note(each);
		}
	}

	/** Something changed of which this node cannot tell what it makes due. */
	lookAgain(): void {
		this.#lookAt = 0;
	}

	async take(now: string, room: DeliveryBudget): Promise<readonly Due[]> {
		if (performance.now() >= this.#lookAt) {
			await this.#look();
		}

		const found: Due[] = [];
		const left = new RemainingBudget(room);
		const since = performance.now();
		const choose = () => this.#due.choose(now, left, since);
		for (let wanted = choose(); wanted.length > 0; wanted = choose()) {
			const taken = await this.#takeOf(wanted, now).catch(error => {
				if (found.length === 0) {
					throw error;
				}
			});
			if (!taken) {
				break;
			}

			for (const due of taken) {
				left.take(due.endpoint.userId, due.endpoint.id);
				found.push(due);
			}
		}

		return inTurn(found);
	}

	async takeOne(id: string): Promise<Due | 'busy' | undefined> {
		return this.#database.begin(async sql => {
			const [endpoint] = await sql<{id: string}[]>`
				select id from endpoints where id = (
					select endpoint_id from deliveries where id = ${id}
					union all select endpoint_id from finished_deliveries where id = ${id} limit 1
				) for no key update
			`;
			if (!endpoint) {
				return undefined;
			}

			const [held] = await sql<{isMine: boolean; isFree: boolean}[]>`
				select
					coalesce(bool_or(delivery_id = ${id} and node = ${this.#nodeId}), false) as "isMine",
					count(*) < ${maxPerEndpoint} and not coalesce(bool_or(delivery_id = ${id}), false) as "isFree"
				from leases where endpoint_id = ${endpoint.id} and until > now()
			`;
			if (!held?.isMine && !held?.isFree) {
				return 'busy';
			}

			await reopenDelivery(sql, id);
			const due = await holdDelivery(sql, id, this.#holder);
			return due && {delivery: wholeDelivery(due), endpoint: due.endpoint};
		});
	}

	/** Holds pending deliveries of which no attempt is to follow and that nobody holds; the log gets back what was sent again. */
	async takeInterrupted(): Promise<readonly Delivery[]> {
		return this.#database.begin(async sql => {
			await shelveFinished(sql);
			const taken = await holdInterrupted(sql, interruptedAtOnce, this.#holder);
			return taken.map(wholeDelivery);
		});
	}

	async release(id: string): Promise<void> {
		await this.#database.begin(async sql => {
			const [waiting] = await sql<Waiting[]>`
				with gone as (delete from leases where delivery_id = ${id} and node = ${this.#nodeId} returning delivery_id)
				select d.endpoint_id as "endpointId", d.user_id as "userId", d.next_attempt_at as at
				from gone join deliveries d on d.id = gone.delivery_id
			`;
			if (waiting?.at === null) {
				await shelveFinished(sql);
			} else if (waiting) {
				this.#due.note(waiting);
			}
		});
	}

	/** At the end of the node. */
	async releaseAll(): Promise<void> {
		await this.#database.run(sql => sql`delete from leases where node = ${this.#nodeId}`);
	}

	/** What is due of all endpoints, and when: also what other nodes stored, or left behind. */
	async #look(): Promise<void> {
		const {notes} = this.#due;
		const startedAt = performance.now();
		const all = await this.#database.run(firstOfEach);
		this.#due.replace(all, notes);
		this.#lookAt = performance.now() + Math.max(looks.everyMs, (performance.now() - startedAt) / looks.part);
	}

	async #takeOf(wanted: readonly Wish[], now: string): Promise<readonly Due[]> {
		const {notes} = this.#due;
		const ids = wanted.map(({endpointId}) => endpointId);
		const found = await this.#database.begin(async sql => {
			const locked = await sql<{id: string}[]>`
				select id from endpoints where id = any(${ids}::text[]) and is_active order by id for no key update skip locked
			`;
			const mine = new Set(locked.map(({id}) => id));
			const own = wanted.filter(({endpointId}) => mine.has(endpointId));
			const rows = own.length === 0 ? [] : await holdFirst(sql, own, {now, ...this.#holder});
			return new Map(own.map(({endpointId}) => [endpointId, rows.filter(row => row.endpointId === endpointId)]));
		});
		const taken: Due[] = [];
		for (const {endpointId, most, floor} of wanted) {
			const rows = found.get(endpointId);
			const due = rows?.filter(({isTaken}) => isTaken) ?? [];
			const next = rows?.find(({isFree, isTaken}) => isFree && !isTaken)?.at;
			if (rows) {
				const lowest = new Date(Date.parse(now) - floorMs).toISOString();
				this.#due.learn(
					endpointId,
					{floor: rows[0]?.at ?? (floor > lowest ? floor : lowest), at: next, heldFrom: rows[0]?.heldFrom},
					notes,
				);
			}

			if (!rows || (due.length < most && next !== undefined && next <= now)) {
				this.#due.postpone(endpointId);
			}

			taken.push(...due.map(row => ({delivery: wholeDelivery(row), endpoint: row.endpoint})));
		}

		return taken;
	}
}

/** Of each user the longest due, the longest due first, then the next of each. */
function inTurn(due: readonly Due[]): readonly Due[] {
	const byTime = due.toSorted((one, other) => compare(one.delivery, other.delivery));
	const counts = new Map<string, number>();
	const rounds = byTime.map(each => {
		const round = counts.get(each.endpoint.userId) ?? 0;
		counts.set(each.endpoint.userId, round + 1);
		return {each, round};
	});
	return rounds.toSorted((one, other) => one.round - other.round).map(({each}) => each);
}

function compare(one: Delivery, other: Delivery): number {
	const [a, b] = [one.nextAttemptAt ?? '', other.nextAttemptAt ?? ''];
	return a < b ? -1 : a > b ? 1 : 0;
}
