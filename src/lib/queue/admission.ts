/** Causer of work. Members of a group, such as the apps behind one address, share the turns of the group. */
export type Holder = {readonly group: string; readonly member: string};

export type AdmissionOptions = {
	/** Number of tasks that run at the same time. */
	readonly concurrency: number;
	/** Time in ms on the main thread that a holder gets in each round. */
	readonly quantumMs?: number;
	/** Time in ms for steps in one turn of the event loop. The last step may exceed it. */
	readonly turnMs?: number;
	/** True if holders take turns for slots, whatever time they used: for tasks that mostly wait for their client. */
	readonly givesSlotsInTurn?: boolean;
	/** Clock in ms. */
	readonly now?: () => number;
};

type Step = () => void;

/** Time that a holder may still use in this round, and number of its running tasks. */
type Account = {creditMs: number; running: number};
type Member = Account & {readonly starts: Step[]; readonly steps: Step[]};
/** `starts` and `steps`: how many of them wait in all members. */
type Group = Account & {readonly members: Map<string, Member>; starts: number; steps: number};

/** Largest debt in ms, so that a holder is served again soon after one long step. */
const maxDebtMs = 500;

/**
 * Admission control for the main thread: whoever causes work pays for it. Steps run by deficit round-robin (Shreedhar and
 * Varghese, 1996) over groups, and over the members of each group. The cost of a step is the measured time until its first wait for
 * input or output. A group or member never has more tasks running than slots are free for the others.
 */
export class Admission {
	readonly #options: Required<AdmissionOptions>;
	readonly #groups = new Map<string, Group>();
	#free: number;
	/** Time used in this turn of the event loop. */
	#usedMs = 0;
	#isBusy = false;

	constructor({
		concurrency,
		quantumMs = 2,
		turnMs = 5,
		givesSlotsInTurn = false,
		now = () => performance.now(),
	}: AdmissionOptions) {
		this.#options = {concurrency, quantumMs, turnMs, givesSlotsInTurn, now};
		this.#free = concurrency;
	}

	/** Runs a task when a slot is free and the holder has its turn. Long tasks must wait for a `turn` before each further step. */
	async run<T>(holder: Holder, task: () => T | Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			this.#add(holder, 'starts', (group, member) => {
				this.#count(group, member, 1);
				void (async () => task())()
					.then(resolve, reject)
					.finally(() => {
						this.#count(group, member, -1);
						if (this.#options.givesSlotsInTurn) {
							moveLast(this.#groups, holder.group, group);
							moveLast(group.members, holder.member, member);
						}

						this.#forget(holder, group, member);
						this.#serve();
					});
			});
		});
	}

	/** Resolves when the holder has its turn, without taking a slot. */
	async turn(holder: Holder): Promise<void> {
		return new Promise(resolve => this.#add(holder, 'steps', () => resolve()));
	}

	/** True if a holder with fewer running tasks waits for a slot: another group, or another member of the same group. */
	isOwed(holder: Holder): boolean {
		const group = this.#groups.get(holder.group);
		const running = group?.members.get(holder.member)?.running ?? 0;
		return [...this.#groups.values()].some(other =>
			other === group
				? [...other.members.values()].some(each => each.starts.length > 0 && each.running < running)
				: other.starts > 0 && other.running < (group?.running ?? 0),
		);
	}

	#add(holder: Holder, kind: 'starts' | 'steps', run: (group: Group, member: Member) => void): void {
		const creditMs = this.#options.quantumMs;
		const group: Group = this.#groups.get(holder.group) ?? {
			creditMs,
			running: 0,
			members: new Map(),
			starts: 0,
			steps: 0,
		};
		this.#groups.set(holder.group, group);
		const member: Member = group.members.get(holder.member) ?? {creditMs, running: 0, starts: [], steps: []};
		group.members.set(holder.member, member);
		group[kind]++;
		member[kind].push(() => run(group, member));
		this.#serve();
	}

	/** Forgets the debt of a holder that has nothing left to do. */
	#forget(holder: Holder, group: Group, member: Member): void {
		const isIdle = member.running + member.starts.length + member.steps.length === 0;
		if (isIdle && group.members.get(holder.member) === member) {
			group.members.delete(holder.member);
		}

		if (group.members.size === 0 && this.#groups.get(holder.group) === group) {
			this.#groups.delete(holder.group);
		}
	}

	#count(group: Group, member: Member, change: 1 | -1): void {
		this.#free -= change;
		group.running += change;
		member.running += change;
	}

	/**
	 * Runs steps until the time of this turn is used, and continues in the next turn of the event loop. Holders with credit left from
	 * this round, such as those that ask for little, do not wait: other work may make the turns long.
	 */
	#serve(): void {
		if (this.#isBusy) {
			return;
		}

		const {now, turnMs, quantumMs} = this.#options;
		const next = this.#next(this.#usedMs < turnMs ? quantumMs : 0);
		if (!next) {
			return;
		}

		this.#isBusy = true;
		if (this.#usedMs === 0) {
			setImmediate(() => {
				this.#usedMs = 0;
				this.#serve();
			});
		}

		const start = now();
		next.step();
		// Runs after all microtasks, so that what the step does before it waits for input or output is measured.
		queueMicrotask(() =>
			process.nextTick(() => {
				const ms = Math.max(now() - start, Number.EPSILON);
				for (const account of [next.group, next.member]) {
					account.creditMs = Math.max(account.creditMs - ms, -maxDebtMs);
				}

				this.#usedMs += ms;
				this.#forget(next.holder, next.group, next.member);
				this.#isBusy = false;
				this.#serve();
			}),
		);
	}

	/** Takes a step of the first group and member in the ring that have credit. Accounts without credit get `quantumMs`. */
	#next(
		quantumMs: number,
	): {readonly holder: Holder; readonly group: Group; readonly member: Member; readonly step: Step} | undefined {
		const mayStart = (group: Group) => group.starts > 0 && group.running < this.#free;
		for (const [groupName, group] of inTurn(this.#groups, quantumMs, each => each.steps > 0 || mayStart(each))) {
			const kindFor = (member: Member) =>
				member.steps.length > 0
					? 'steps'
					: member.starts.length > 0 && mayStart(group) && member.running < this.#free - group.running
						? 'starts'
						: undefined;
			for (const [memberName, member] of inTurn(group.members, quantumMs, each => kindFor(each) !== undefined)) {
				const kind = kindFor(member);
				const step = kind && member[kind].shift();
				if (step) {
					group[kind]--;
					if (kind === 'starts' && this.#options.givesSlotsInTurn) {
						moveLast(this.#groups, groupName, group);
						moveLast(group.members, memberName, member);
					}

					return {holder: {group: groupName, member: memberName}, group, member, step};
				}
			}
		}

		return undefined;
	}
}

/**
 * Accounts of a ring that are ready and have credit, in turn. Accounts without credit get a quantum and move to the end, so credit
 * never exceeds the quantum.
 */
function* inTurn<T extends Account>(
	ring: Map<string, T>,
	quantumMs: number,
	isReady: (account: T) => boolean,
): Generator<readonly [string, T]> {
	for (const [name, account] of ring) {
		if (isReady(account)) {
			if (account.creditMs > 0) {
				yield [name, account];
			} else if (quantumMs > 0) {
				account.creditMs += quantumMs;
				moveLast(ring, name, account);
			}
		}
	}
}

function moveLast<T>(ring: Map<string, T>, name: string, account: T): void {
	ring.delete(name);
	ring.set(name, account);
}
