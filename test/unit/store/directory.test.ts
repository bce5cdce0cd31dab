import {chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {UnsafePathError} from '../../../src/lib/errors.js';
import {nodeFiles} from '../../../src/lib/io/files.js';
import {DataDir} from '../../../src/store/json/data-dir.js';
import {DiskSpace} from '../../../src/store/json/disk-space.js';
import {createSegment} from '../../../src/store/json/journal.js';
import {encodeLine} from '../../../src/store/json/lines.js';
import {silent} from '../../helpers/resources.js';
import {createCompactedStore, createFilledStore} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';

test('a data directory of a newer format is rejected and left unchanged', async () => {
	for (const name of [path.join('snapshots', '000009.jsonl'), path.join('journal', '000009.jsonl')]) {
		const {dir} = await createFilledStore();
		await writeFile(path.join(dir, name), encodeLine(JSON.stringify({version: 99})));
		const before = await contentsOf(dir);
		await expect(openStore(dir)).rejects.toThrow(/format 99.*Install a newer tinbox/);
		expect(await contentsOf(dir)).toEqual(before);
	}
});

test('only the owner can access the files and folders of a data directory', async () => {
	const {dir} = await createCompactedStore();
	for (const name of await readdir(dir, {recursive: true})) {
		const {mode} = await nodeFiles.stat(path.join(dir, name));
		expect((mode & 0o077).toString(8), name).toBe('0');
	}
});

test('folders that others may write to are made private with a log message', async () => {
	const {dir} = await createFilledStore();
	await chmod(dir, 0o777);
	await chmod(path.join(dir, 'journal'), 0o770);
	const warned: string[] = [];
	const log = {...silent, warn: (_: object, message: string) => void warned.push(message)};
	await (await openStore(dir, {log})).close();
	expect((await nodeFiles.stat(dir)).mode & 0o022).toBe(0);
	expect((await nodeFiles.stat(path.join(dir, 'journal'))).mode & 0o022).toBe(0);
	expect(warned).toEqual([expect.stringContaining(dir), expect.stringContaining(path.join(dir, 'journal'))]);
});

test('new files of the store do not follow symbolic links', async () => {
	const dir = await temporaryFolder();
	const dataDir = new DataDir(nodeFiles, dir);
	const known = path.join(dir, 'known');
	await writeFile(known, 'known');
	await mkdir(dataDir.journal);
	await symlink(known, dataDir.reserve);
	await symlink(known, dataDir.segment(2));
	await new DiskSpace(dataDir, 1024, () => 0).reserve();
	await (await createSegment(dataDir, 2)).handle.close();
	expect(await readFile(known, 'utf8')).toBe('known');
	expect((await stat(dataDir.reserve)).size).toBe(1024);
});

// Only root can give files away.
test.skipIf(process.getuid?.() !== 0)('a data directory that belongs to another user is rejected', async () => {
	for (const name of ['', 'journal', 'snapshots', 'sources']) {
		const {dir} = await createFilledStore();
		await chown(path.join(dir, name), 54_321, 54_321);
		await expect(openStore(dir)).rejects.toThrow(UnsafePathError);
	}
});

/** Name and content of every file, but for the lock. */
async function contentsOf(dir: string): Promise<Map<string, string>> {
	const contents = new Map<string, string>();
	for (const name of await readdir(dir, {recursive: true})) {
		if (!name.startsWith('lock')) {
			const content = await readFile(path.join(dir, name), 'latin1').catch(() => 'a folder');
			contents.set(name, content);
		}
	}

	return contents;
}
