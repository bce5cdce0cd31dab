import {chmod, chown, mkdir, readdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {beforeEach, expect, onTestFinished, test, vi} from 'vitest';
import {
	removeAbandonedFolders,
	removeTemporaryFolder,
	temporaryRoot,
} from '../../../../src/lib/io/temporary-folders.js';
import {tempDir} from '../../../helpers/temp-dir.js';

/** User without privileges on most systems. */
const otherUser = 65534;
const isRoot = process.getuid?.() === 0;

let shared: string;
beforeEach(async () => {
	shared = await tempDir();
	vi.stubEnv('TMPDIR', shared);
	vi.stubEnv('XDG_RUNTIME_DIR', undefined);
	onTestFinished(() => void vi.unstubAllEnvs());
});

async function makeFolder(name: string): Promise<string> {
	const folder = path.join(shared, name);
	await mkdir(folder);
	await writeFile(path.join(folder, 'file'), '');
	return folder;
}

test('abandoned folders and unfinished removals are removed, and other folders remain', async () => {
	for (const name of ['tinbox-copy-1', 'tinbox-copy-2', 'tinbox-removed-1', 'other']) {
		await makeFolder(name);
	}

	await removeAbandonedFolders(async folder => folder.endsWith('copy-1') || folder.endsWith('other'));
	expect((await readdir(shared)).sort()).toEqual(['other', 'tinbox-copy-2']);
});

test.skipIf(!isRoot)('folders of other users with any name are never removed', async () => {
	for (const name of ['tinbox-copy-1', 'tinbox-removed-1']) {
		await chown(await makeFolder(name), otherUser, otherUser);
	}

	await removeAbandonedFolders(async () => true);
	await removeTemporaryFolder(path.join(shared, 'tinbox-copy-1'));
	expect((await readdir(shared)).sort()).toEqual(['tinbox-copy-1', 'tinbox-removed-1']);
	expect(await readdir(path.join(shared, 'tinbox-copy-1'))).toEqual(['file']);
});

test('removing a missing folder does nothing', async () => {
	await removeTemporaryFolder(path.join(shared, 'tinbox-gone'));
	expect(await readdir(shared)).toEqual([]);
});

test('temporary files are in the runtime folder of the user if only the user can write to it', async () => {
	expect(temporaryRoot()).toBe(shared);
	const runtime = await makeFolder('runtime');
	vi.stubEnv('XDG_RUNTIME_DIR', runtime);
	await chmod(runtime, 0o755);
	expect(temporaryRoot()).toBe(shared);
	await chmod(runtime, 0o700);
	expect(temporaryRoot()).toBe(runtime);
	if (isRoot) {
		await chown(runtime, otherUser, otherUser);
		expect(temporaryRoot()).toBe(shared);
	}

	vi.stubEnv('XDG_RUNTIME_DIR', path.join(shared, 'absent'));
	expect(temporaryRoot()).toBe(shared);
});
