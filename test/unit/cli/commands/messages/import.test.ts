import {mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {UnreachableError} from '../../../../../src/client/errors.js';
import {apiClient, type Client} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';
import {mail, openTinbox} from '../../../../helpers/tinbox.js';

const begin = 'From ann@example.com Thu Jan  1 00:00:00 1970\n';
const fixtures = path.join(import.meta.dirname, '../../../../fixtures/mail');

/** A daemon with an inbox, the command line on top of it, and a folder. */
async function openImport({between = same => same}: {readonly between?: (client: Client) => Client} = {}) {
	const tinbox = await openTinbox({settings: {maxMessageSize: 400_000}});
	const {user, key} = await tinbox.user('ann');
	const options = {name: 'signup', teamId: null, claim: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const client = apiClient({url: tinbox.url, apiKey: key});
	const run = async (command: string, ...args: readonly string[]) =>
		runFake(['messages', command, 'signup', ...args], {}, {api: async () => between(client)});
	return {
		inbox,
		client,
		run,
		dir: await tempDir(),
		fromStdin: async (text: string, ...args: readonly string[]) =>
			runFake(
				['messages', 'import', 'signup', ...args],
				{},
				{
					api: async () => client,
					stdin: Readable.from([Buffer.from(text)]),
				},
			),
		/** The oldest first. */
		subjects: async () =>
			(await client.messages.summaries(inbox.id, {limit: 100})).map(({subject}) => subject).reverse(),
		sources: async () => {
			const rows = (await client.messages.summaries(inbox.id, {limit: 100})).toReversed();
			return Promise.all(rows.map(async ({id}) => client.messages.raw(inbox.id, id)));
		},
		empty: async () => client.messages.deleteAll(inbox.id),
	};
}

describe('takes mail in from', () => {
	test('files, each by its name or its beginning', async () => {
		const {run, dir, subjects, inbox} = await openImport();
		const files = {
			'1.eml': mail('one'),
			'2.mbox': `${begin}${mail('two')}\n${begin}${mail('three')}\n`,
			three: mail('four'),
		};
		for (const [name, text] of Object.entries(files)) {
			await writeFile(path.join(dir, name), text);
		}

		const places = Object.keys(files).map(name => path.join(dir, name));
		expect(await run('import', ...places)).toEqual({
			exitCode: 0,
			stdout: '',
			stderr: `4 mails were imported into ${inbox.address}.\n`,
		});
		expect(await subjects()).toEqual(['one', 'two', 'three', 'four']);
	});

	test('folders and Maildirs in them, but no links and no other files', async () => {
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

	test('a Maildir and those in it', async () => {
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
		const {fromStdin, subjects} = await openImport();
		await fromStdin(mail('one'), '-');
		await fromStdin(`${begin}${mail('two')}`, '-');
		await fromStdin(`${begin}${mail('three')}`, '-', '--format', 'eml');
		expect(await subjects()).toEqual(['one', 'two', 'three']);
	});
});

test.each(['eml', 'mbox', 'maildir'])('what was exported as %s is imported byte for byte', async format => {
	const {run, dir, sources, empty} = await openImport();
	await run('import', '--format', 'eml', fixtures);
	const before = await sources();
	expect(before.length).toBe((await readdir(fixtures)).length);
	const place = path.join(dir, 'out');
	await run('export', '--format', format, '--output', place);
	await empty();
	expect((await run('import', place)).exitCode).toBe(0);
	// An mbox has lines alone: the last one gets an end.
	const whole = (source: Buffer) =>
		format === 'mbox' ? Buffer.from(`${source.toString('latin1')}\n`.replace(/\n\n$/, '\n'), 'latin1') : source;
	expect(await sources()).toEqual(before.map(whole));
});

test('a mail that is refused is named, and the others are taken', async () => {
	const {run, dir, subjects, inbox} = await openImport();
	await writeFile(
		path.join(dir, '1.mbox'),
		`${begin}${mail('one')}\n${begin}\n${begin}${mail('two')}${'x'.repeat(400_000)}\n`,
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

test('very many mails go in and out together, in their order, whatever they are long', async () => {
	const calls: string[] = [];
	const told = <Args extends readonly unknown[], Answer>(name: string, call: (...args: Args) => Answer) => {
		return (...args: Args) => {
			calls.push(name);
			return call(...args);
		};
	};
	const {run, dir, inbox, client} = await openImport({
		between: ({messages, ...others}) => ({
			...others,
			messages: {
				...messages,
				import: told('import', messages.import),
				importAll: told('import', messages.importAll),
				sources: told('export', messages.sources),
				rawStream: told('export', messages.rawStream),
			},
		}),
	});
	const bodyOf = (index: number) => 'x'.repeat(index === 150 ? 300_000 : index === 170 ? 200_000 : 300);
	const mails = Array.from({length: 350}, (_, index) => mail(String(index), bodyOf(index)));
	const place = path.join(dir, 'all.mbox');
	await writeFile(place, mails.map(text => `${begin}${text}\n`).join(''));
	expect((await run('import', place)).stderr).toBe(`350 mails were imported into ${inbox.address}.\n`);
	const rows = await Promise.all(
		[1, 2, 3, 4].map(async page => client.messages.summaries(inbox.id, {page, limit: 100})),
	);
	expect(rows.flat().map(({subject}) => subject)).toEqual(mails.map((_, index) => String(index)).reverse());
	const {stdout} = await run('export', '--format', 'mbox');
	expect(stdout.replaceAll(/^From .*\n/gm, begin)).toBe(await readFile(place, 'utf8'));
	expect(calls.filter(name => name === 'import').length).toBeLessThan(35);
	expect(calls.filter(name => name === 'export').length).toBeLessThan(10);
});

test('when the daemon is gone in the middle, what was imported is said, and of what nobody knows it', async () => {
	const {run, dir, inbox, subjects} = await openImport({
		between: ({messages, ...others}) => ({
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
	const place = path.join(dir, 'all.mbox');
	await writeFile(place, Array.from({length: 9}, (_, index) => `${begin}${mail(String(index))}\n`).join(''));
	const {exitCode, stderr} = await run('import', place);
	const taken = (await subjects()).length;
	expect([exitCode, taken > 0]).toEqual([3, true]);
	expect(stderr).toContain(`${taken} ${taken === 1 ? 'mail was' : 'mails were'} imported into ${inbox.address}.\n`);
	expect(stderr).toContain(`It is unknown whether ${place}, mail ${taken + 1} and the `);
});

test('a dry run says what would be kept and what is wrong, and keeps nothing', async () => {
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
])('is refused as a whole with %i: %j', async (exitCode, args, message) => {
	const {run, dir, subjects} = await openImport();
	await writeFile(path.join(dir, '1.eml'), mail('one'));
	expect(await run('import', dir, ...args)).toMatchObject({exitCode, stderr: expect.stringContaining(message)});
	expect(await subjects()).toEqual([]);
});

test('the envelope can be given', async () => {
	const {run, dir} = await openImport();
	const file = path.join(dir, '1.eml');
	await writeFile(file, mail('one'));
	await run('import', file, '--from', '', '--to', 'a@x.test', '--to', 'b@x.test');
	expect(JSON.parse((await run('list', '--json=envelope')).stdout)).toEqual([
		{envelope: {from: '', to: ['a@x.test', 'b@x.test']}},
	]);
});
