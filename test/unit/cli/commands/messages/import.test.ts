import {mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {UnreachableError} from '../../../../../src/client/errors.js';
import {apiClient, type Client} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';
import {mail, openTinbox} from '../../../../helpers/tinbox.js';

const mboxSeparator = 'From ann@example.com Thu Jan  1 00:00:00 1970\n';
const fixtures = path.join(import.meta.dirname, '../../../../fixtures/mail');

/** A daemon with an inbox, the CLI connected to it through `wrap`, and a temporary folder. */
async function openImport({wrap = client => client}: {readonly wrap?: (client: Client) => Client} = {}) {
	const tinbox = await openTinbox({settings: {maxMessageSize: 400_000}});
	const {user, key} = await tinbox.user('ann');
	const options = {name: 'signup', teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const client = apiClient({url: tinbox.url, apiKey: key});
	const run = async (command: string, ...args: readonly string[]) =>
		runFake(['messages', command, 'signup', ...args], {}, {api: async () => wrap(client)});
	return {
		inbox,
		client,
		run,
		dir: await tempDir(),
		runWithStdin: async (text: string, ...args: readonly string[]) =>
			runFake(
				['messages', 'import', 'signup', ...args],
				{},
				{
					api: async () => client,
					stdin: Readable.from([Buffer.from(text)]),
				},
			),
		/** Subjects of the stored messages, oldest first. */
		subjects: async () =>
			(await client.messages.summaries(inbox.id, {limit: 100})).map(({subject}) => subject).reverse(),
		sources: async () => {
			const rows = (await client.messages.summaries(inbox.id, {limit: 100})).toReversed();
			return Promise.all(rows.map(async ({id}) => client.messages.raw(inbox.id, id)));
		},
		deleteAll: async () => client.messages.deleteAll(inbox.id),
	};
}

describe('messages import reads', () => {
	test('eml and mbox files, told apart by extension or content', async () => {
		const {run, dir, subjects, inbox} = await openImport();
		const files = {
			'1.eml': mail('one'),
			'2.mbox': `${mboxSeparator}${mail('two')}\n${mboxSeparator}${mail('three')}\n`,
			three: mail('four'),
		};
		for (const [name, text] of Object.entries(files)) {
			await writeFile(path.join(dir, name), text);
		}

		const paths = Object.keys(files).map(name => path.join(dir, name));
		expect(await run('import', ...paths)).toEqual({
			exitCode: 0,
			stdout: '',
			stderr: `4 mails were imported into ${inbox.address}.\n`,
		});
		expect(await subjects()).toEqual(['one', 'two', 'three', 'four']);
	});

	test('folders and nested Maildirs, without links and other files', async () => {
		const {run, dir, subjects} = await openImport();
		for (const folder of ['a', 'md/cur', 'md/new', 'md/tmp']) {
			await mkdir(path.join(dir, folder), {recursive: true});
		}

		const files = {
			'a/1.eml': 'one',
			'b.EML': 'two',
			'md/cur/1:2,S': 'three',
			'md/new/2': 'four',
			'md/tmp/3': 'no',
			'x.txt': 'no',
		};
		for (const [name, subject] of Object.entries(files)) {
			await writeFile(path.join(dir, name), mail(subject));
		}

		await symlink(path.join(dir, 'x.txt'), path.join(dir, 'link.eml'));
		expect(await run('import', dir)).toMatchObject({exitCode: 0, stderr: expect.stringContaining('2 other files')});
		expect(await subjects()).toEqual(['one', 'two', 'three', 'four']);
	});

	test('a Maildir and its subfolders', async () => {
		const {run, dir, subjects} = await openImport();
		for (const folder of ['cur', 'new', 'tmp', '.Sent/cur', '.Sent/new', '.Sent/tmp']) {
			await mkdir(path.join(dir, folder), {recursive: true});
		}

		await writeFile(path.join(dir, 'new/1'), mail('one'));
		await writeFile(path.join(dir, '.Sent/cur/0:2,S'), mail('sent'));
		await run('import', dir, '--format', 'maildir');
		expect(await subjects()).toEqual(['one', 'sent']);
	});

	test('stdin', async () => {
		const {runWithStdin, subjects} = await openImport();
		await runWithStdin(mail('one'), '-');
		await runWithStdin(`${mboxSeparator}${mail('two')}`, '-');
		await runWithStdin(`${mboxSeparator}${mail('three')}`, '-', '--format', 'eml');
		expect(await subjects()).toEqual(['one', 'two', 'three']);
	});
});

test.each(['eml', 'mbox', 'maildir'])('messages exported as %s are imported byte for byte', async format => {
	const {run, dir, sources, deleteAll} = await openImport();
	await run('import', '--format', 'eml', fixtures);
	const before = await sources();
	expect(before.length).toBe((await readdir(fixtures)).length);
	const exported = path.join(dir, 'out');
	await run('export', '--format', format, '--output', exported);
	await deleteAll();
	expect((await run('import', exported)).exitCode).toBe(0);
	// The mbox format ends every line, also the last line of a mail.
	const withFinalLineEnd = (source: Buffer) =>
		format === 'mbox' ? Buffer.from(`${source.toString('latin1')}\n`.replace(/\n\n$/, '\n'), 'latin1') : source;
	expect(await sources()).toEqual(before.map(withFinalLineEnd));
});

test('messages import names each rejected mail and imports the others', async () => {
	const {run, dir, subjects, inbox} = await openImport();
	await writeFile(
		path.join(dir, '1.mbox'),
		`${mboxSeparator}${mail('one')}\n${mboxSeparator}\n${mboxSeparator}${mail('two')}${'x'.repeat(400_000)}\n`,
	);
	await writeFile(path.join(dir, '2.mbox'), mail('no mbox'));
	await writeFile(path.join(dir, '3.eml'), mail('three'));
	const {exitCode, stderr} = await run('import', dir);
	expect(exitCode).toBe(1);
	expect(stderr).toMatch(/1\.mbox, mail 2: The mail is empty\.\n/);
	expect(stderr).toMatch(/1\.mbox, mail 3: The mail is larger than /);
	expect(stderr).toMatch(/2\.mbox: Not an mbox file: it does not start with "From "/);
	expect(stderr).toContain(`2 mails were imported into ${inbox.address}.\n3 mails were rejected.`);
	expect(await subjects()).toEqual(['one', 'three']);
});

test('mails of any size are imported and exported in batches, in their order', async () => {
	const calls: string[] = [];
	const counted = <Args extends readonly unknown[], Answer>(name: string, call: (...args: Args) => Answer) => {
		return (...args: Args) => {
			calls.push(name);
			return call(...args);
		};
	};
	const {run, dir, inbox, client} = await openImport({
		wrap: ({messages, ...others}) => ({
			...others,
			messages: {
				...messages,
				import: counted('import', messages.import),
				importAll: counted('import', messages.importAll),
				sources: counted('export', messages.sources),
				rawStream: counted('export', messages.rawStream),
			},
		}),
	});
	const bodyOf = (index: number) => 'x'.repeat(index === 150 ? 300_000 : index === 170 ? 200_000 : 300);
	const mails = Array.from({length: 350}, (_, index) => mail(String(index), bodyOf(index)));
	const mbox = path.join(dir, 'all.mbox');
	await writeFile(mbox, mails.map(text => `${mboxSeparator}${text}\n`).join(''));
	expect((await run('import', mbox)).stderr).toBe(`350 mails were imported into ${inbox.address}.\n`);
	const rows = await Promise.all(
		[1, 2, 3, 4].map(async page => client.messages.summaries(inbox.id, {page, limit: 100})),
	);
	expect(rows.flat().map(({subject}) => subject)).toEqual(mails.map((_, index) => String(index)).reverse());
	const {stdout} = await run('export', '--format', 'mbox');
	expect(stdout.replaceAll(/^From .*\n/gm, mboxSeparator)).toBe(await readFile(mbox, 'utf8'));
	expect(calls.filter(name => name === 'import').length).toBeLessThan(35);
	expect(calls.filter(name => name === 'export').length).toBeLessThan(10);
});

test('messages import reports which mails are imported or uncertain after a connection loss', async () => {
	const {run, dir, inbox, subjects} = await openImport({
		wrap: ({messages, ...others}) => ({
			...others,
			messages: {
				...messages,
				importAll: async () => {
					throw new UnreachableError('http://x.test', 'cannot be reached.', {
						cause: Object.assign(new Error(), {code: 'ECONNRESET'}),
					});
				},
			},
		}),
	});
	const mbox = path.join(dir, 'all.mbox');
	await writeFile(mbox, Array.from({length: 9}, (_, index) => `${mboxSeparator}${mail(String(index))}\n`).join(''));
	const {exitCode, stderr} = await run('import', mbox);
	const imported = (await subjects()).length;
	expect([exitCode, imported > 0]).toEqual([3, true]);
	expect(stderr).toContain(
		`${imported} ${imported === 1 ? 'mail was' : 'mails were'} imported into ${inbox.address}.\n`,
	);
	expect(stderr).toContain(`It is unknown whether ${mbox}, mail ${imported + 1} and the `);
});

test('messages import --dry-run lists valid and invalid mails and stores nothing', async () => {
	const {run, dir, subjects} = await openImport();
	const files = [path.join(dir, '1.eml'), path.join(dir, '2.eml')] as const;
	await writeFile(files[0], 'From: ann@example.com\nSubject: \x1b[31mred\n\nHi\n');
	await writeFile(files[1], '');
	const {exitCode, stdout, stderr} = await run('import', ...files, '--dry-run');
	expect([exitCode, stderr]).toEqual([1, expect.stringContaining('1 mail would be imported into')]);
	expect(stdout).not.toContain('\x1b');
	expect(stdout).toContain(`${files[0]}\t44\tann@example.com\tred\t`);
	expect(stdout).toContain(`${files[1]}\t0\t\t\tThe mail is empty.\n`);
	const rows = (await run('import', ...files, '-n', '--json=location,id,error')).stdout.trimEnd().split('\n');
	expect(rows.map(row => JSON.parse(row))).toEqual([
		{location: files[0], id: null, error: null},
		{location: files[1], id: null, error: 'The mail is empty.'},
	]);
	expect(await subjects()).toEqual([]);
});

test.each([
	[2, ['--from', 'a b'], '--from must be an address.'],
	[2, ['--format', 'maildir'], 'is not a Maildir'],
	[1, ['nowhere'], 'No such file or directory: nowhere'],
])('messages import imports nothing and exits with %i for %j', async (exitCode, args, message) => {
	const {run, dir, subjects} = await openImport();
	await writeFile(path.join(dir, '1.eml'), mail('one'));
	expect(await run('import', dir, ...args)).toMatchObject({exitCode, stderr: expect.stringContaining(message)});
	expect(await subjects()).toEqual([]);
});

test('messages import --from and --to set the envelope', async () => {
	const {run, dir} = await openImport();
	const file = path.join(dir, '1.eml');
	await writeFile(file, mail('one'));
	await run('import', file, '--from', '', '--to', 'a@x.test', '--to', 'b@x.test');
	expect(JSON.parse((await run('list', '--json=envelope')).stdout)).toEqual([
		{envelope: {from: '', to: ['a@x.test', 'b@x.test']}},
	]);
});
