import {readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {nodeFiles} from '../../src/lib/files.js';
import {encodeLine} from '../../src/store/json/lines.js';
import {compacted, filled} from './closed-stores.js';
import {openStore} from './json-fixture.js';

test('a directory written by a newer version is refused, and nothing in it is touched', async () => {
	for (const name of [path.join('snapshots', '000009.jsonl'), path.join('journal', '000009.jsonl')]) {
		const {dir} = await filled();
		await writeFile(path.join(dir, name), encodeLine(JSON.stringify({version: 99})));
		const before = await contentsOf(dir);
		await expect(openStore(dir)).rejects.toThrow(/format 99.*Install a newer tinbox/);
		expect(await contentsOf(dir)).toEqual(before);
	}
});

test('files and folders are for their owner alone', async () => {
	const {dir} = await compacted();
	for (const name of await readdir(dir, {recursive: true})) {
		const {mode} = await nodeFiles.stat(path.join(dir, name));
		expect((mode & 0o077).toString(8), name).toBe('0');
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
