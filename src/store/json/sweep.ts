import path from 'node:path';
import type {Disk} from './disk.js';
import {removeFile} from './files.js';
import type {State} from './state/state.js';

/** Removes what a crash left unfinished: mail that became part of no message, and drafts of snapshots. */
export async function sweep({files, layout, log}: Disk, state: State): Promise<void> {
	const orphans = (await files.readdir(layout.sources))
		.filter(name => !state.tables.sources.has(path.basename(name, '.eml')))
		.map(name => path.join(layout.sources, name));
	const drafts = (await files.readdir(layout.snapshots))
		.filter(name => name.endsWith('.tmp'))
		.map(name => path.join(layout.snapshots, name));
	for (const file of [...orphans, ...drafts]) {
		await removeFile(files, file).catch(error =>
			log.warn({err: error, file}, 'A left-over file could not be removed.'),
		);
	}
}
