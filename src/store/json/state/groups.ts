import type {Index} from './table.js';
import {Timeline} from './timeline.js';

/** The ids of rows by what they belong to. */
export class Groups<Row extends {readonly id: string}> implements Index<Row> {
	readonly #groups = new Map<string, Timeline>();
	readonly #keysOf: (row: Row) => readonly string[];

	constructor(keysOf: (row: Row) => readonly string[]) {
		this.#keysOf = keysOf;
	}

	update(before: Row | undefined, after: Row | undefined): void {
		const left = before ? this.#keysOf(before) : [];
		const joined = after ? this.#keysOf(after) : [];
		for (const key of left) {
			if (!joined.includes(key)) {
				this.#leave(key, before?.id ?? '');
			}
		}

		for (const key of joined) {
			if (!left.includes(key)) {
				this.#join(key, after?.id ?? '');
			}
		}
	}

	sizeOf(key: string): number {
		return this.#groups.get(key)?.size ?? 0;
	}

	/** Without the newest `skip`. Must be read to its end, or copied, before rows change. */
	newestFirst(key: string, skip = 0): Iterable<string> {
		return this.#groups.get(key)?.newestFirst(skip) ?? [];
	}

	#join(key: string, id: string): void {
		let group = this.#groups.get(key);
		if (!group) {
			group = new Timeline();
			this.#groups.set(key, group);
		}

		group.add(id);
	}

	#leave(key: string, id: string): void {
		const group = this.#groups.get(key);
		group?.remove(id);
		if (group?.size === 0) {
			this.#groups.delete(key);
		}
	}
}
