import {Readable} from 'node:stream';
import {errorCode} from '../../../lib/errors.js';
import type {Log} from '../../../lib/log.js';
import type {SourceStore} from '../../store.js';
import type {DataDir} from '../data-dir.js';
import {readInline} from '../segment.js';
import type {Spool} from '../spool.js';
import type {Source} from '../state/change.js';
import type {State} from '../state/state.js';

export function createSourceStore(dataDir: DataDir, state: State, spool: Spool, log: Log): SourceStore {
	const openFile = async (id: string) => (await dataDir.files.open(dataDir.source(id), 'r')).createReadStream();
	const open = async ({id, place}: Source) =>
		place ? Readable.from([await readInline(dataDir, place)], {objectMode: false}) : openFile(id);
	return {
		stage: bytes => spool.stage(bytes),
		readStaged: async source => {
			const bytes = spool.inlineBytes(source);
			return bytes ? Readable.from([bytes], {objectMode: false}) : openFile(source.id);
		},
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
