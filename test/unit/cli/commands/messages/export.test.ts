import {mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {Client} from '../../../../../src/client/index.js';
import {apiClient} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';
import {mail, openTinbox} from '../../../../helpers/tinbox.js';

const first = mail('First', 'From here\r\n>From there');
const second = mail('Second');

/** A daemon with two messages in an inbox, the CLI connected to it through `wrap`, and a temporary folder. */
async function openExport({wrap = client => client}: {readonly wrap?: (client: Client) => Client} = {}) {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann');
	const options = {name: 'signup', teamId: null, address: null, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	await tinbox.deliver(inbox.address, first);
	await tinbox.deliver(inbox.address, second, '');
	const client = apiClient({url: tinbox.url, apiKey: key});
	const rows = (await client.messages.summaries(inbox.id)).toReversed();
	return {
		inbox,
		client,
		deliver: async (to: string, text: string) => tinbox.deliver(to, text),
		ids: rows.map(({id}) => id),
		times: rows.map(({received_at}) => new Date(received_at)),
		dir: await tempDir(),
		run: async (...flags: readonly string[]) =>
			runFake(['messages', 'export', 'signup', ...flags], {}, {api: async () => wrap(client)}),
	};
}

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

test('messages export writes an eml file per message with its source and received time', async () => {
	const {run, dir, ids, times, inbox} = await openExport();
	const folder = path.join(dir, 'new', 'mails');
	expect(await run('--output', folder)).toEqual({
		exitCode: 0,
		stdout: '',
		stderr: `Exported 2 of 2 messages in ${inbox.address}.\n`,
	});
	expect((await readdir(folder)).sort()).toEqual(ids.map(id => `${id}.eml`));
	const [one = '', two = ''] = ids.map(id => path.join(folder, `${id}.eml`));
	expect([await readFile(one, 'utf8'), await readFile(two, 'utf8')]).toEqual([first, second]);
	expect([await modeOf(one), await modeOf(folder)]).toEqual(['600', '700']);
	expect((await stat(one)).mtime).toEqual(times[0]);
});

test('messages export --format mbox writes one file, oldest message first, with envelope senders', async () => {
	const {run, dir} = await openExport();
	const file = path.join(dir, 'signup.mbox');
	await run('--format', 'mbox', '--output', file);
	const text = await readFile(file, 'utf8');
	const time = String.raw`\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\n`;
	const quoted = first.replace('From here', '>From here').replace('>From there', '>>From there');
	expect(text).toMatch(new RegExp(`^From sender@example.com ${time}`));
	expect(text.replace(new RegExp(`^From (\\S+) ${time}`, 'gm'), '$1|')).toBe(
		`sender@example.com|${quoted}\nMAILER-DAEMON|${second}\n`,
	);
	expect(await modeOf(file)).toBe('600');
	expect((await run('--format', 'mbox')).stdout).toBe(text);
});

test('messages export --format maildir writes files named by time and id into "new"', async () => {
	const {run, dir, ids, times} = await openExport();
	const folder = path.join(dir, 'Maildir');
	await run('--format', 'maildir', '--output', folder);
	expect((await readdir(folder)).sort()).toEqual(['cur', 'new', 'tmp']);
	const names = ids.map((id, index) => `${Math.floor(Number(times[index]) / 1000)}.${id}.tinbox`);
	expect((await readdir(path.join(folder, 'new'))).sort()).toEqual(names);
	expect(await readFile(path.join(folder, 'new', names[1] ?? ''), 'utf8')).toBe(second);
	expect([await readdir(path.join(folder, 'cur')), await readdir(path.join(folder, 'tmp'))]).toEqual([[], []]);
});

test('messages export prints a single matching message to a piped stdout only', async () => {
	const {run, client} = await openExport();
	expect(await run('--subject', 'Second')).toMatchObject({exitCode: 0, stdout: second});
	expect(await run('--contains', 'nowhere')).toMatchObject({exitCode: 0, stdout: ''});
	expect(await run()).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('--output')});
	expect(await run('--format', 'maildir')).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--output')});
	const onTerminal = {terminal: {isTTY: true}, api: async () => client};
	expect(await runFake(['messages', 'export', 'signup', '--subject', 'Second'], {}, onTerminal)).toMatchObject({
		exitCode: 2,
		stdout: '',
	});
});

test.each([
	['eml', (id: string) => `${id}.eml`, ''],
	['mbox', () => 'mbox', 'mbox'],
	['maildir', (id: string, seconds: number) => path.join('new', `${seconds}.${id}.tinbox`), ''],
])('messages export --format %s neither replaces a file nor writes through a link', async (format, nameOf, output) => {
	const {run, dir, ids, times} = await openExport();
	const file = path.join(dir, nameOf(ids[0] ?? '', Math.floor(Number(times[0]) / 1000)));
	await mkdir(path.dirname(file), {recursive: true});
	const target = path.join(dir, 'elsewhere');
	await symlink(target, file);
	expect(await run('--format', format, '--output', path.join(dir, output))).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining(`The file "${file}" already exists.`),
	});
	await expect(stat(target)).rejects.toThrow('ENOENT');
	expect((await readdir(path.dirname(file))).filter(name => name.endsWith('.tmp') && name !== 'tmp')).toEqual([]);
});

test('messages export rejects a Maildir whose folders are links', async () => {
	const {run, dir} = await openExport();
	const target = await tempDir();
	await symlink(target, path.join(dir, 'new'));
	expect(await run('--format', 'maildir', '--output', dir)).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining(`${path.join(dir, 'new')} is not a folder.`),
	});
	expect(await readdir(target)).toEqual([]);
});

test('messages export skips and reports messages deleted in the meantime', async () => {
	const {run, dir, ids} = await openExport({
		wrap: client => ({
			...client,
			messages: {
				...client.messages,
				envelopes: async (...args) => {
					const rows = await client.messages.envelopes(...args);
					await client.messages.delete(args[0], rows[1]?.id ?? '');
					return rows;
				},
			},
		}),
	});
	expect((await run('--output', dir)).stderr).toMatch(
		/^Exported 1 of 2 messages in \S+; 1 were deleted in the meantime\.\n$/,
	);
	expect(await readdir(dir)).toEqual([`${ids[1]}.eml`]);
});

test('messages export leaves no file behind if the source is truncated', async () => {
	const {run, dir, inbox, deliver} = await openExport({
		wrap: client => ({
			...client,
			messages: {
				...client.messages,
				rawStream: async () =>
					(async function* () {
						yield Buffer.from('Subject: half');
						throw new Error('The connection is lost.');
					})(),
			},
		}),
	});
	await deliver(inbox.address, mail('Too large to be read with others', 'x'.repeat(300_000)));
	await writeFile(path.join(dir, 'mine'), '');
	for (const format of ['eml', 'mbox']) {
		const output = format === 'eml' ? dir : path.join(dir, 'mbox');
		expect((await run('--format', format, '--output', output, '--subject', 'large')).exitCode).toBe(1);
	}

	expect(await readdir(dir)).toEqual(['mine']);
});
