import path from 'node:path';

/** The version of the files' format: what begins every segment and every snapshot. */
export const formatVersion = 1;

/** What lies where in a data directory. */
export class Layout {
	readonly dir: string;
	readonly journal: string;
	readonly snapshots: string;
	readonly sources: string;
	readonly lock: string;
	readonly reserve: string;

	constructor(dir: string) {
		this.dir = path.resolve(dir);
		this.journal = path.join(this.dir, 'journal');
		this.snapshots = path.join(this.dir, 'snapshots');
		this.sources = path.join(this.dir, 'sources');
		this.lock = path.join(this.dir, 'lock');
		this.reserve = path.join(this.dir, 'reserve');
	}

	segment(number: number): string {
		return path.join(this.journal, nameOf(number));
	}

	/** The snapshot of everything before the segment of that number. */
	snapshot(number: number): string {
		return path.join(this.snapshots, nameOf(number));
	}

	/** The bytes of a mail that has a file of its own. */
	source(id: string): string {
		return path.join(this.sources, `${id}.eml`);
	}
}

function nameOf(number: number): string {
	return `${String(number).padStart(6, '0')}.jsonl`;
}

/** The number of a segment or snapshot; undefined when the file is neither. */
export function numberOf(name: string): number | undefined {
	const [, digits] = /^(\d{6,})\.jsonl$/.exec(name) ?? [];
	return digits === undefined ? undefined : Number(digits);
}
