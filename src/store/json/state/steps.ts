/** Work that is done step by step, as it is read. */
export type Steps = Iterable<unknown>;

export type Evicted = {readonly inboxId: string; readonly messageIds: readonly string[]};

/** What came of a change that was made as far as anybody can see it. */
export type Begun = {
	/** False when nothing was changed, because what it is about is gone. */
	readonly isEffective: boolean;
	/** The messages that it evicted, by inbox, the oldest first. */
	readonly evicted: readonly Evicted[];
	/** Removes what belongs to deleted rows. */
	readonly rest: Steps;
};

/** The works one after the other, each when those before it are done. */
export function* inTurn(works: readonly Steps[]): Steps {
	for (const steps of works) {
		yield* steps;
	}
}

/** Does all of it at once. */
export function finish(steps: Steps): void {
	for (const _ of steps) {
		// Reading is doing.
	}
}
