import {Readable} from 'node:stream';
import type {SourceStore} from '../store.js';
import type {Place, Source} from './change.js';
import type {Disk} from './disk.js';
import {errorCode, type Files, using} from './files.js';
import type {Layout} from './layout.js';
import {decodeLine} from './line.js';
import type {Spool} from './spool.js';
import type {State} from './state.js';

export function createSourceStore({files, layout, log}: Disk, state: State, spool: Spool): SourceStore {
	const open = async ({id, place}: Source) =>
		place ? Readable.from([await readInline(files, layout, place)], {objectMode: false}) : openFile(files, layout, id);
	return {
		stage: async bytes => spool.stage(bytes),
		discard: async source => spool.discard(source),
		read: async id => {
			for (let source = state.tables.sources.get(id); source; source = state.tables.sources.get(id)) {
				try {
					return await open(source);
				} catch (error) {
					// The bytes may have been moved between the look and the open: then look again.
					if (errorCode(error) !== 'ENOENT' || state.tables.sources.get(id) === source) {
						log.error({err: error, source}, 'The source of a message could not be read.');
						return undefined;
					}
				}
			}

			return undefined;
		},
	};
}

async function openFile(files: Files, layout: Layout, id: string): Promise<Readable> {
	const handle = await files.open(layout.source(id), 'r');
	return handle.createReadStream();
}

/** The bytes of a source that stands in the journal. Throws when the line is damaged. */
export async function readInline(files: Files, layout: Layout, [segment, offset, length]: Place): Promise<Buffer> {
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
