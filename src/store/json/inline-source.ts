import {type Files, using} from './files.js';
import type {Layout} from './layout.js';
import {decodeLine} from './line.js';
import type {Place} from './state/change.js';

/** The bytes of a source that stands in the journal. Throws when the line is damaged. */
export async function readInline(files: Files, layout: Layout, {segment, offset, length}: Place): Promise<Buffer> {
	return using(await files.open(layout.segment(segment), 'r'), async handle => {
		const line = Buffer.allocUnsafe(length);
		const {bytesRead} = await handle.read(line, 0, length, offset);
		const [, base64] = decodeLine(line.subarray(0, bytesRead)) ?? [];
		if (typeof base64 !== 'string') {
			throw new Error(`Segment ${segment} of the journal is damaged at byte ${offset}.`);
		}

		return Buffer.from(base64, 'base64');
	});
}
