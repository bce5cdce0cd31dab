import {closeSync, writeSync} from 'node:fs';
import {chmod, chown, mkdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {UnsafePathError} from '../../../../src/lib/errors.js';
import {guardFolder, openToAppend, readPrivateFile} from '../../../../src/lib/io/files.js';
import {tempDir} from '../../../helpers/temp-dir.js';

/** Only root can change the owner of a file. */
const asRoot = test.skipIf(process.getuid?.() !== 0);
const otherUid = 54_321;

async function someFile(mode = 0o600): Promise<string> {
	const file = path.join(await tempDir(), 'secret');
	await writeFile(file, 'open sesame');
	await chmod(file, mode);
	return file;
}

const modeOf = async (file: string) => (await stat(file)).mode & 0o7777;

describe('a private file', () => {
	test('is read if only its owner can access it', async () => {
		expect(readPrivateFile(await someFile())).toBe('open sesame');
	});

	test.each([0o644, 0o666, 0o660, 0o602])(
		'with mode %o is read, and its mode becomes 0600 if repairs are enabled',
		async mode => {
			const file = await someFile(mode);
			expect(readPrivateFile(file)).toBe('open sesame');
			expect(await modeOf(file)).toBe(mode);
			const mended: string[] = [];
			expect(readPrivateFile(file, {mended: sentence => mended.push(sentence)})).toBe('open sesame');
			expect(await modeOf(file)).toBe(0o600);
			expect(mended).toEqual([expect.stringContaining(file)]);
		},
	);

	test('may be a symbolic link only if the caller allows links', async () => {
		const file = await someFile();
		const link = `${file}-link`;
		await symlink(file, link);
		expect(() => readPrivateFile(link)).toThrow(UnsafePathError);
		expect(readPrivateFile(link, {links: true})).toBe('open sesame');
	});

	test('is rejected if it is a directory', async () => {
		const folder = await tempDir();
		expect(() => readPrivateFile(folder)).toThrow(UnsafePathError);
	});

	asRoot('is rejected if it, or the target of a link to it, belongs to another user', async () => {
		const file = await someFile();
		const link = `${file}-link`;
		await symlink(file, link);
		await chown(file, otherUid, otherUid);
		expect(() => readPrivateFile(file)).toThrow(`${file} belongs to another user (uid ${otherUid})`);
		expect(() => readPrivateFile(link, {links: true})).toThrow(UnsafePathError);
	});

	test('that does not exist is reported as ENOENT', async () => {
		const file = path.join(await tempDir(), 'none');
		expect(() => readPrivateFile(file)).toThrow(expect.objectContaining({code: 'ENOENT'}));
		expect(() => readPrivateFile(file, {links: true})).toThrow(expect.objectContaining({code: 'ENOENT'}));
	});
});

describe('a guarded folder', () => {
	test('that only its owner can write to is unchanged, also through a link', async () => {
		const folder = await tempDir();
		await symlink(folder, path.join(folder, 'link'));
		await chmod(folder, 0o755);
		await guardFolder(folder, sentence => expect.fail(sentence));
		await guardFolder(path.join(folder, 'link'), sentence => expect.fail(sentence));
		expect(await modeOf(folder)).toBe(0o755);
	});

	test('loses the write permission of other users, with a message', async () => {
		const folder = await tempDir();
		await chmod(folder, 0o777);
		const mended: string[] = [];
		await guardFolder(folder, sentence => mended.push(sentence));
		expect(await modeOf(folder)).toBe(0o755);
		expect(mended).toEqual([expect.stringContaining(folder)]);
	});

	test('with the sticky bit is rejected and keeps its mode', async () => {
		const folder = await tempDir();
		await chmod(folder, 0o1777);
		await expect(guardFolder(folder, () => {})).rejects.toThrow(UnsafePathError);
		expect(await modeOf(folder)).toBe(0o1777);
	});

	test('that others could write to is rejected every time if it contains a symbolic link', async () => {
		const folder = await tempDir();
		await symlink('/etc', path.join(folder, 'journal'));
		await guardFolder(folder, sentence => expect.fail(sentence));
		await chmod(folder, 0o770);
		for (const _ of ['first', 'second']) {
			await expect(guardFolder(folder, () => {})).rejects.toThrow(
				`Other users could write to the folder ${folder}, and ${path.join(folder, 'journal')} is a symbolic link. Remove the link.`,
			);
		}
	});

	asRoot('that others could write to is rejected every time if it contains a file of another user', async () => {
		const folder = await tempDir();
		const file = path.join(folder, 'operator-token');
		await writeFile(file, 'known');
		await chown(file, otherUid, otherUid);
		await chmod(folder, 0o777);
		for (const _ of ['first', 'second']) {
			await expect(guardFolder(folder, () => {})).rejects.toThrow(`${file} belongs to another user (uid ${otherUid})`);
		}
	});

	asRoot('is rejected if it belongs to another user', async () => {
		const folder = path.join(await tempDir(), 'data');
		await mkdir(folder);
		await chown(folder, otherUid, otherUid);
		await expect(guardFolder(folder, () => {})).rejects.toThrow('belongs to another user');
	});
});

describe('a file opened to append', () => {
	const add = (file: string, text: string) => {
		const descriptor = openToAppend(file);
		writeSync(descriptor, text);
		closeSync(descriptor);
	};

	test('is created with mode 0600 and keeps its content', async () => {
		const file = path.join(await tempDir(), 'log');
		add(file, 'one ');
		add(file, 'two');
		expect(await readFile(file, 'utf8')).toBe('one two');
		expect(await modeOf(file)).toBe(0o600);
	});

	test('is rejected if it is a symbolic link, even to a missing file', async () => {
		const file = await someFile();
		await symlink(file, `${file}-link`);
		await symlink(`${file}-none`, `${file}-nowhere`);
		expect(() => openToAppend(`${file}-link`)).toThrow(`${file}-link is a symbolic link`);
		expect(() => openToAppend(`${file}-nowhere`)).toThrow(UnsafePathError);
	});

	asRoot('is rejected if it belongs to another user', async () => {
		const file = await someFile();
		await chown(file, otherUid, otherUid);
		expect(() => openToAppend(file)).toThrow(`${file} belongs to another user (uid ${otherUid})`);
	});
});
