/** Work that is done step by step, as it is read. */
export type Steps = Iterable<unknown>;

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
