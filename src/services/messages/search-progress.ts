import type {Message} from '../../domain/message.js';

/** How far the first look of a search goes back, in messages that pass all that needs no reading. */
export const maxCandidates = 1000;

/** What the looks of one search share, so that no message is read twice in vain. It ends with the signal. */
export class SearchProgress {
	readonly signal: AbortSignal;
	readonly rejected = new Set<string>();
	/** Messages newer than this one are looked through, null being all of them; undefined before the first look. */
	start: string | null | undefined;

	constructor(signal = new AbortController().signal) {
		this.signal = signal;
	}

	/** Leaves out all but the newest of these, newest first, in later looks: nothing is among them. */
	pass(rows: readonly Message[]): void {
		const oldest = rows[maxCandidates];
		if (oldest) {
			this.start = oldest.id;
			this.rejected.clear();
			for (const {id} of rows.slice(0, maxCandidates)) {
				this.rejected.add(id);
			}
		}
	}
}
