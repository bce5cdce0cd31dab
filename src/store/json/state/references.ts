import type {Message} from '../../../domain/message.js';
import type {Index} from './table.js';

/** How many messages each source has. */
export class References implements Index<Message> {
	readonly #counts = new Map<string, number>();

	update(before: Message | undefined, after: Message | undefined): void {
		if (before?.sourceId !== after?.sourceId) {
			this.#add(before?.sourceId, -1);
			this.#add(after?.sourceId, 1);
		}
	}

	has(sourceId: string): boolean {
		return this.#counts.has(sourceId);
	}

	#add(sourceId: string | undefined, difference: number): void {
		if (sourceId === undefined) {
			return;
		}

		const count = (this.#counts.get(sourceId) ?? 0) + difference;
		if (count === 0) {
			this.#counts.delete(sourceId);
		} else {
			this.#counts.set(sourceId, count);
		}
	}
}
