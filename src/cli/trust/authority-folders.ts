import {X509Certificate} from 'node:crypto';
import {existsSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {ensureDirectory, nodeFiles, replaceFile} from '../../lib/io/files.js';
import type {Paths} from '../../runtime/paths.js';

/** In the folder of an authority: its certificate alone. */
export const authorityFile = 'authority.pem';

/** Writes an authority, which is in PEM, to a folder of its own, named after its fingerprint, and returns that folder. */
export async function keepAuthority(pem: string, {trustDir}: Pick<Paths, 'trustDir'>): Promise<string> {
	const {fingerprint256} = new X509Certificate(pem);
	const folder = path.join(trustDir, fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase());
	const file = path.join(folder, authorityFile);
	if (!existsSync(file)) {
		await ensureDirectory(nodeFiles, folder);
		await replaceFile(nodeFiles, file, async draft => draft.writeFile(pem));
	}

	return folder;
}

/** The folders of all authorities that this tinbox has had. */
export async function authorityFolders({trustDir}: Pick<Paths, 'trustDir'>): Promise<readonly string[]> {
	const names = await readdir(trustDir).catch(() => []);
	return names.map(name => path.join(trustDir, name)).filter(folder => existsSync(path.join(folder, authorityFile)));
}
