import {chmod, copyFile, readFile, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {StoreError, UnsafePathError} from '../../../../src/lib/errors.js';
import {Seal} from '../../../../src/store/postgres/nouns/secrets.js';
import {tempDir} from '../../../helpers/temp-dir.js';
import {hasNoPostgres, newDatabase, openNode} from '../postgres-fixture.js';

describe('Seal', () => {
	const seal = new Seal('key');

	test('a sealed text opens with its key and its name only', () => {
		const sealed = seal.seal('name', 'zoë');
		expect(seal.unseal('name', sealed)).toBe('zoë');
		expect(new Seal('key').unseal('name', sealed)).toBe('zoë');
		expect(new Seal('other').unseal('name', sealed)).toBeUndefined();
		expect(seal.unseal('other', sealed)).toBeUndefined();
		expect(seal.seal('name', 'zoë')).not.toEqual(sealed);
	});

	test('a changed or truncated text does not open', () => {
		const sealed = seal.seal('name', 'text');
		for (let index = 0; index < sealed.length; index++) {
			const changed = Buffer.from(sealed);
			changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
			expect(seal.unseal('name', changed)).toBeUndefined();
			expect(seal.unseal('name', sealed.subarray(0, index))).toBeUndefined();
		}
	});
});

describe.skipIf(hasNoPostgres)('secrets in a database', () => {
	test('secrets are the same on all nodes and unreadable in the database', async () => {
		const url = await newDatabase();
		const [one, other] = await Promise.all([openNode(url), openNode(url)]);
		expect(await one.secrets.get('token-secret')).toBeUndefined();
		const values = await Promise.all([
			one.secrets.put('token-secret', 'mine'),
			other.secrets.put('token-secret', 'yours'),
		]);
		expect(new Set(values).size).toBe(1);
		expect(await one.secrets.get('token-secret')).toBe(values[0]);
		expect(await other.secrets.put('token-secret', 'new', 'wrong')).toBe(values[0]);
		expect(await other.secrets.put('token-secret', 'new', values[0])).toBe('new');
		expect(await one.secrets.get('token-secret')).toBe('new');
	});

	test('the first node creates a private key file that later nodes need', async () => {
		const url = await newDatabase();
		const folder = await tempDir();
		const keyFile = path.join(folder, 'keys', 'store-key');
		await openNode(url, {keyFile});
		expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
		expect((await readFile(keyFile, 'utf8')).trim()).toHaveLength(43);
		await openNode(url, {keyFile});
		const missing = path.join(folder, 'missing');
		const none = await openNode(url, {keyFile: missing}).catch((error: unknown) => error);
		expect(none).toBeInstanceOf(StoreError);
		expect(String(none)).toContain(
			`${missing} does not contain their key. Copy the key file of another node of this database`,
		);
		await expect(stat(missing)).rejects.toThrow();
		await writeFile(missing, 'another', {mode: 0o600});
		await expect(openNode(url, {keyFile: missing})).rejects.toThrow(/encrypted with another key than the one in/);
		await copyFile(keyFile, missing);
		await openNode(url, {keyFile: missing});
	});

	test('an existing key file is used unless another user may have written it', async () => {
		const url = await newDatabase();
		const keyFile = path.join(await tempDir(), 'key');
		await writeFile(keyFile, 'chosen\n', {mode: 0o600});
		const node = await openNode(url, {keyFile});
		await node.secrets.put('a', 'b');
		expect(await readFile(keyFile, 'utf8')).toBe('chosen\n');
		const shared = await tempDir();
		await chmod(shared, 0o1777);
		await expect(openNode(await newDatabase(), {keyFile: path.join(shared, 'key')})).rejects.toThrow(UnsafePathError);
	});
});
