import type {Files} from './files.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

export type Limits = {
	/** Bytes after which the journal goes on in a new segment. */
	readonly segmentBytes: number;
	/** Bytes kept back, so that deletes can be written on a full disk. */
	readonly reserveBytes: number;
};

/** Limits in proportion to the disk: a segment can only be emptied where there is room to write what lives in it. */
export async function limitsFor(files: Files, dir: string): Promise<Limits> {
	const {blocks, bsize} = await files.statfs(dir);
	const bytes = blocks === 0 ? Number.POSITIVE_INFINITY : blocks * bsize;
	return {
		segmentBytes: Math.min(16 * mebibyte, Math.max(64 * kibibyte, bytes / 64)),
		reserveBytes: Math.min(256 * kibibyte, bytes / 16),
	};
}
