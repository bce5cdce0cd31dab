import {Readable} from 'node:stream';
import {errorCode} from '../../../lib/error-code.js';
import type {SourceStore} from '../../store.js';
import type {Disk} from '../disk.js';
import type {Files} from '../files.js';
import {readInline} from '../inline-source.js';
import type {Layout} from '../layout.js';
import type {Spool} from '../spool.js';
import type {Source} from '../state/change.js';
import type {State} from '../state/state.js';

export function createSourceStore({files, layout, log}: Disk, state: State, spool: Spool): SourceStore {
	const open = async ({id, place}: Source) =>
		place ? Readable.from([await readInline(files, layout, place)], {objectMode: false}) : openFile(files, layout, id);
	return {
		stage: bytes => spool.stage(bytes),
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
