import {readdir, readFile, stat} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, vi} from 'vitest';
import {bin, cliTest as test} from '../helpers/cli.js';
import {contentOf, fill, fullContent} from '../unit/store/copy-rows.js';
import {openStore} from '../unit/store/json-fixture.js';

/** Creates a data folder with `messages` messages. */
async function filledFolder(home: string, messages: number): Promise<string> {
	const folder = path.join(home, 'full');
	const store = await openStore(folder);
	await fill(store, fullContent(messages));
	await store.close();
	return folder;
}

async function idsIn(folder: string): Promise<readonly string[]> {
	const store = await openStore(folder);
	const {messages} = await contentOf(store);
	await store.close();
	return messages.map(({id}) => id);
}

/** Size of the journal in bytes. */
async function journalBytes(folder: string): Promise<number> {
	const journal = path.join(folder, 'journal');
	const names = await readdir(journal).catch(() => []);
	const sizes = await Promise.all(names.map(async name => (await stat(path.join(journal, name))).size));
	return sizes.reduce((sum, size) => sum + size, 0);
}

describe('tinbox store copy', () => {
	test('resumes after kill -9 and copies everything once', async ({home, env, cli}) => {
		const from = await filledFolder(home, 4000);
		const to = path.join(home, 'copy');
		for (let kills = 0; kills < 3; kills++) {
			const before = await journalBytes(to);
			const child = execa(process.execPath, [bin, 'store', 'copy', '--from', from, '--to', to], {
				env,
				extendEnv: false,
				reject: false,
			});
			await vi.waitFor(async () => expect(await journalBytes(to)).toBeGreaterThan(before + 100_000), {
				timeout: 20_000,
				interval: 5,
			});
			child.kill('SIGKILL');
			await child;
			expect(JSON.parse(await readFile(path.join(to, 'copy.json'), 'utf8'))).toMatchObject({isWhole: false});
		}

		const refused = await cli('daemon', 'start', '--data-dir', to);
		expect(refused.stderr).toContain('is an unfinished copy. Finish it: tinbox store copy');
		const {stdout, stderr, exitCode} = await cli('store', 'copy', '--from', from, '--to', to, '--json');
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
		expect(JSON.parse(stdout)).toMatchObject({users: 1, messages: 4000});
		expect(await idsIn(to)).toEqual(await idsIn(from));
		const repeated = await cli('store', 'copy', '--from', from, '--to', to);
		expect(repeated.stdout).toContain('messages\t4000\n');
		expect(repeated.stderr).toBe('The copy is complete: every row and every mail was compared.\n');
	});

	test('ends on SIGINT and prints how to resume', async ({home, env}) => {
		const from = await filledFolder(home, 4000);
		const to = path.join(home, 'copy');
		const child = execa(process.execPath, [bin, 'store', 'copy', '--from', from, '--to', to], {
			env,
			extendEnv: false,
			reject: false,
		});
		await vi.waitFor(async () => expect(await journalBytes(to)).toBeGreaterThan(100_000), {
			timeout: 20_000,
			interval: 5,
		});
		child.kill('SIGINT');
		const {signal, stderr} = await child;
		expect(signal).toBe('SIGINT');
		expect(stderr).toBe('The copy is not finished. Run the same command again to resume it.');
	});

	test('rejects the data folder of a running daemon', async ({home, cli}) => {
		await cli('daemon', 'start');
		const {exitCode, stderr} = await cli('store', 'copy', '--from', path.join(home, 'data'), '--to', 'copy');
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^The data folder .* is in use by process \d+\. Stop that daemon/);
	});

	test('rejects a source that is not a data folder', async ({home, cli}) => {
		const {exitCode, stderr} = await cli('store', 'copy', '--from', home, '--to', path.join(home, 'copy'));
		expect(exitCode).toBe(1);
		expect(stderr).toBe(`${home} is not a data folder: it has no folder "journal".\n`);
	});

	test('preserves the inboxes, messages and credentials of a user', async ({home, cli}) => {
		const address = (await cli('inbox', 'create', '--address', 'signup@tinbox.test')).stdout.trim();
		await cli('send', address, '--subject', 'Kept');
		const {stdout: password} = await cli('inbox', 'credentials', address, '--json');
		await cli('daemon', 'stop');
		const to = path.join(home, 'moved');
		await cli('store', 'copy', '--from', path.join(home, 'data'), '--to', to);
		await cli('daemon', 'start', '--data-dir', to);
		expect((await cli('messages', 'list', address)).stdout).toContain('Kept');
		expect((await cli('inbox', 'credentials', address, '--json')).stdout).toContain(JSON.parse(password).password);
	});
});
