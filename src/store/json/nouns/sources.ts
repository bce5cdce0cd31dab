import {Readable} from 'node:stream';
import {errorCode} from '../../../lib/errors.js';
import type {Log} from '../../../lib/log.js';
import {bytesOfSmall} from '../../intake.js';
import type {ByteRange, SourceStore} from '../../store.js';
import type {DataDir} from '../data-dir.js';
import {readInline} from '../segment.js';
import type {Spool} from '../spool.js';
import type {Source} from '../state/change.js';
import type {State} from '../state/state.js';

const whole: ByteRange = {start: 0, end: Number.POSITIVE_INFINITY};

export function createSourceStore(dataDir: DataDir, state: State, spool: Spool, log: Log): SourceStore {
	const openFile = async (id: string, range: ByteRange) =>
		(await dataDir.files.open(dataDir.source(id), 'r')).createReadStream(range);
	const open = async ({id, place}: Source, range: ByteRange) => {
		if (!place) {
			return openFile(id, range);
		}

		const bytes = await readInline(dataDir, place);
		return Readable.from([bytes.subarray(range.start, range.end + 1)], {objectMode: false});
	};
	return {
		stage: (bytes, id) => spool.stage(bytes, id),
		readStaged: async source => {
			const bytes = bytesOfSmall(source);
			return bytes ? Readable.from([bytes], {objectMode: false}) : openFile(source.id, whole);
		},
		discard: async source => spool.discard(source),
		read: async (id, range = whole) => {
			for (let source = state.tables.sources.get(id); source; source = state.tables.sources.get(id)) {
				try {
					return await open(source, range);
				} catch (error) {
					// The bytes may have been moved between the look and the open: then look again.
					if (errorCode(error) !== 'ENOENT' || state.tables.sources.get(id) === source) {
						log.error({err: error, source}, 'Could not read a message source');
						return undefined;
					}
				}
			}

			return undefined;
		},
	};
}
