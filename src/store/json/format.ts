import {DataDirError} from '../../lib/data-dir-error.js';
import {type Files, using} from './files.js';
import {numbersIn} from './folder.js';
import {formatVersion, type Layout} from './layout.js';
import {decodeLine} from './line.js';

const headerBytes = 256;

/** Throws `DataDirError` when a newer version of tinbox wrote any of the files. Changes nothing. */
export async function checkFormat(files: Files, layout: Layout): Promise<void> {
	const segments = (await numbersIn(files, layout.journal)).map(number => layout.segment(number));
	const snapshots = (await numbersIn(files, layout.snapshots)).map(number => layout.snapshot(number));
	for (const file of [...snapshots, ...segments]) {
		const version = await readVersion(files, file);
		if (version > formatVersion) {
			throw new DataDirError(
				`${file} has format ${version}, and this tinbox knows formats up to ${formatVersion}. Install a newer tinbox, or choose another data directory. Nothing was changed.`,
			);
		}
	}
}

/** The version in the header; 0 when the header is damaged or was never finished. */
async function readVersion(files: Files, file: string): Promise<number> {
	const {buffer, bytesRead} = await using(await files.open(file, 'r'), async handle =>
		handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0),
	);
	const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
	const [header] = decodeLine(Buffer.from(line, 'latin1')) ?? [];
	const hasVersion = typeof header === 'object' && header !== null && 'version' in header;
	return hasVersion && typeof header.version === 'number' ? header.version : 0;
}
