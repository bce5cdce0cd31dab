import type {FaultStage} from '../../contract/constants.js';
import type {Fault} from '../../domain/faults/fault.js';
import {batched} from './batched.js';
import type {Database} from './database.js';
import type {Notices} from './notices.js';

/** Tells the other nodes that faults came or went. */
const topic = 'faults';

/** How often a node looks by itself, in case that a notice was lost. */
const everyMs = 1000;

type Row = {readonly place: number; readonly inboxId: string | null; readonly row: Fault};

/** The faults as this node knows them, since each command of a session asks for them: other nodes' may be a second late. */
export class FaultCopy {
	readonly #database: Database;
	readonly #notices: Pick<Notices, 'tell' | 'hear'>;
	readonly #read = batched<undefined, undefined>(async keys => {
		await this.#readAll();
		return keys;
	});
	#ofInbox: ReadonlyMap<string | null, readonly Fault[]> = new Map();
	#stages: ReadonlySet<FaultStage> = new Set();
	#version = '';
	#timer: NodeJS.Timeout | undefined;

	constructor(database: Database, notices: Pick<Notices, 'tell' | 'hear'>) {
		this.#database = database;
		this.#notices = notices;
	}

	async start(): Promise<void> {
		this.#notices.hear(topics => {
			if (topics === undefined || topics.includes(topic)) {
				void this.#lookByItself();
			}
		});
		await this.#read(undefined);
		this.#timer = setInterval(() => void this.#lookByItself(), everyMs).unref();
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	mayAct(stage: FaultStage): boolean {
		return this.#stages.has(stage);
	}

	/** The same array for as long as they stay the same. */
	of(inboxId: string | null): readonly Fault[] {
		return this.#ofInbox.get(inboxId) ?? none;
	}

	/** To be awaited after this node has changed any. */
	async changed(): Promise<void> {
		this.#notices.tell([topic]);
		await this.#read(undefined);
	}

	async #lookByItself(): Promise<void> {
		const version = await this.#database
			.run(sql => sql<{version: string}[]>`select count(*) || ' ' || coalesce(sum(place), 0) as version from faults`)
			.catch(() => []);
		if (version[0] && version[0].version !== this.#version) {
			await this.#read(undefined).catch(() => {});
		}
	}

	async #readAll(): Promise<void> {
		const rows = await this.#database.run(
			sql => sql<Row[]>`select place, inbox_id as "inboxId", row from faults order by place`,
		);
		const ofInbox = new Map<string | null, Fault[]>();
		for (const {inboxId, row} of rows) {
			const others = ofInbox.get(inboxId);
			if (others) {
				others.push(row);
			} else {
				ofInbox.set(inboxId, [row]);
			}
		}

		this.#ofInbox = new Map([...ofInbox].map(([inboxId, faults]) => [inboxId, this.#known(inboxId, faults)]));
		this.#stages = new Set(rows.map(({row}) => row.stage));
		this.#version = `${rows.length} ${rows.reduce((sum, {place}) => sum + place, 0)}`;
	}

	#known(inboxId: string | null, faults: readonly Fault[]): readonly Fault[] {
		const before = this.of(inboxId);
		return before.length === faults.length && before.every(({id}, index) => id === faults[index]?.id) ? before : faults;
	}
}

const none: readonly Fault[] = [];
