/** Work that is done step by step, as it is read. */
export type Steps = Iterable<unknown>;

export function* inTurn(works: readonly Steps[]): Steps {
	for (const steps of works) {
		yield* steps;
	}
}

export function finish(steps: Steps): void {
	for (const _ of steps) {
		// Reading is doing.
	}
}
