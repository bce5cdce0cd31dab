import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../../domain/errors.js';
import type {Keeping} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import type {Store, Usage} from '../port.js';
import {batched} from './batched.js';
import type {Begin, Database} from './database.js';
import type {DeliveryLeases} from './deliveries/leases.js';
import {databaseError} from './errors.js';
import type {Leavings} from './evictions/leavings.js';
import {type Written, writeMails} from './mail-commit.js';
import type {AddedMail, MailOutcome} from './mail-plan.js';
import type {PostgresEvents} from './nouns/events.js';

/** Mails that share a transaction at most. */
const maxTogether = 64;

/** How long it may take to find out what became of a commit whose answer was lost, and how often that is asked. */
const doubtMs = {atMost: 5000, between: 100};

/** A mail, what its transaction can begin with, and what there was in all a moment before. */
type Waiting = {readonly mail: AddedMail; readonly begin: Begin; readonly inAll: Usage};

export type GroupCommitOptions = {
	readonly nodeId: string;
	readonly usage: Store['usage'];
	readonly events: Pick<PostgresEvents, 'committed'>;
	readonly leases: Pick<DeliveryLeases, 'note'>;
	/** What inboxes keep that say nothing themselves. */
	readonly keeping: Keeping;
	readonly leavings: Pick<Leavings, 'add'>;
	readonly log: Log;
};

/** Stores mails that come together in one transaction, each with an outcome of its own. One that cannot be stored holds up no other. */
export class GroupCommit {
	readonly #database: Database;
	readonly #options: GroupCommitOptions;
	readonly #commit = batched<Waiting, MailOutcome>(async waiting => this.#commitAll(waiting), maxTogether);

	constructor(database: Database, options: GroupCommitOptions) {
		this.#database = database;
		this.#options = options;
	}

	/** Resolves once the mail is durable, to whether any message has it. */
	async add(mail: AddedMail): Promise<boolean> {
		return this.#database.whole(async begin => {
			const inAll = await this.#options.usage();
			const outcome = await this.#commit({mail, begin, inAll});
			if ('error' in outcome) {
				throw outcome.error;
			}

			return outcome.isUsed;
		});
	}

	async #commitAll(waiting: readonly Waiting[]): Promise<readonly MailOutcome[]> {
		try {
			return await this.#commitTogether(waiting);
		} catch (error) {
			if (waiting.length === 1 || databaseError(error) instanceof AppError) {
				return waiting.map(() => ({error}));
			}
		}

		// Something in one of them is not to the database's liking: the others need not suffer.
		const outcomes: MailOutcome[] = [];
		for (const one of waiting) {
			outcomes.push(...(await this.#commitAll([one])));
		}

		return outcomes;
	}

	async #commitTogether(waiting: readonly Waiting[]): Promise<readonly MailOutcome[]> {
		const {nodeId, keeping} = this.#options;
		const mails = waiting.map(({mail}) => mail);
		const last = waiting.at(-1);
		const written: Written[] = [];
		try {
			await last?.begin(async sql => {
				written.push(await writeMails(sql, mails, {nodeId, inAll: last.inAll, keeping}));
			});
		} catch (error) {
			const [doubtful] = written;
			if (!last || !doubtful || !(await isCommitted(last.begin, doubtful.xid, nodeId))) {
				throw error;
			}
		}

		this.#tell(written);
		return written.flatMap(({outcomes}) => outcomes);
	}

	/** What is stored is stored, whatever comes of this: else it would be sent again. */
	#tell(written: readonly Written[]): void {
		const {events, leases, leavings, log} = this.#options;
		try {
			leases.note(written.flatMap(({due}) => due));
			leavings.add(written.flatMap(({evictedFrom}) => evictedFrom));
			events.committed(written.flatMap(({news}) => news));
		} catch (error) {
			log.error({err: error}, 'Mail stored, but notifying some listeners failed');
		}
	}
}

/**
 * Whether the transaction of a node is committed, when its answer was lost. It can only be told once it is over, and only by what
 * it wrote: where a standby took over that had not got it, its id can be another's.
 */
async function isCommitted(begin: Begin, xid: string, nodeId: string): Promise<boolean> {
	const giveUpAt = performance.now() + doubtMs.atMost;
	while (performance.now() < giveUpAt) {
		const [state] = await begin(
			async sql => sql<{isOver: boolean; isThere: boolean}[]>`
				select
					pg_visible_in_snapshot(${xid}::xid8, pg_current_snapshot()) as "isOver",
					exists (select from events where xid = ${xid}::xid8 and node = ${nodeId}) as "isThere"
			`,
		).catch(() => []);
		if (state?.isOver) {
			return state.isThere;
		}

		await sleep(doubtMs.between);
	}

	return false;
}
