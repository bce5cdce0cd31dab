import type {SplitPart} from './mailsplit.js';

/** A line that begins a part of its owner, or ends the last of them. */
export type Boundary = {readonly owner: SplitPart; readonly isClosing: boolean};

/** The boundaries that lines may be at a place in a mail, by what they say behind their hyphens. */
export class OpenBoundaries {
	readonly #boundaries = new Map<string, Boundary>();
	/** How long they are, and how they end: what is otherwise need not be looked up, which takes longer than a line may. */
	readonly #forms = new Set<number>();

	/**
	 * Takes the part around the place, what it and all around it have as a boundary, and whose parts have ended already. Outer
	 * boundaries end inner parts, too; of equal ones the inner counts.
	 */
	constructor(innermost: SplitPart | false, names: ReadonlyMap<SplitPart, string>, ended: SplitPart | undefined) {
		const owners: SplitPart[] = [];
		for (let part = innermost; part; part = part.parentNode) {
			owners.push(part);
		}

		for (const [suffix, isClosing] of [
			['', false],
			['--', true],
		] as const) {
			for (const owner of owners) {
				const name = names.get(owner);
				if (name !== undefined && !(isClosing && owner === ended)) {
					this.#add(name + suffix, {owner, isClosing});
				}
			}
		}
	}

	/** The boundary that stands between two places behind its hyphens. */
	find(bytes: Buffer, start: number, end: number): Boundary | undefined {
		const isPossible = this.#forms.has(formOf(end - start, bytes[end - 1] ?? 0));
		return isPossible ? this.#boundaries.get(bytes.toString('latin1', start, end)) : undefined;
	}

	#add(text: string, boundary: Boundary): void {
		if (!this.#boundaries.has(text)) {
			this.#boundaries.set(text, boundary);
			this.#forms.add(formOf(text.length, text.charCodeAt(text.length - 1)));
		}
	}
}

function formOf(length: number, last: number): number {
	return length * 256 + last;
}
