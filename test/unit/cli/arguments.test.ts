import type {Command} from 'commander';
import {describe, expect, test} from 'vitest';
import {daemonFlags} from '../../../src/cli/control/settings.js';
import {createProgram} from '../../../src/cli/program.js';
import {fakeContext, runFake} from '../../helpers/context.js';

type Seen = {readonly operands: readonly unknown[]; readonly flags: Readonly<Record<string, unknown>>};

/** What the action of the command gets to see of a line. */
async function parse(line: readonly string[]): Promise<Seen> {
	const program = await createProgram(fakeContext().context, line);
	const named = line.reduce<Command>(
		(command, word) => command.commands.find(sub => sub.name() === word) ?? command,
		program,
	);
	let seen: Seen | undefined;
	named.action((...args) => {
		seen = {operands: args.slice(0, -2).filter(operand => operand !== undefined), flags: args.at(-2)};
	});
	await program.parseAsync(line, {from: 'user'});
	return seen ?? {operands: [], flags: {}};
}

describe('arguments become operands and flags', () => {
	const noLimit = {limit: 20};
	const sender = {from: 'hello@tinbox.test'};
	test.each<{args: string[]; operands?: readonly unknown[]; flags: object}>([
		{args: ['inbox', 'create'], flags: {}},
		{args: ['inbox', 'create', '--name', 'a', '--ttl', '1h'], flags: {name: 'a', ttl: 3_600_000}},
		{args: ['inbox', 'create', '--address', '*@x.test'], flags: {address: '*@x.test'}},
		{args: ['inbox', 'create', '--json='], flags: {json: []}},
		{args: ['inbox', 'create', '--json=id, name'], flags: {json: ['id', 'name']}},
		{args: ['inbox', 'update', 'a', '--no-team'], operands: ['a'], flags: {team: false}},
		{args: ['inbox', 'update', 'a', '--name', 'b'], operands: ['a'], flags: {name: 'b'}},
		{args: ['messages', 'wait', 'a'], operands: ['a'], flags: {timeout: 30_000}},
		{args: ['messages', 'wait', 'a', '--timeout', '2m'], operands: ['a'], flags: {timeout: 120_000}},
		{args: ['messages', 'wait', 'a', '--timeout', '500ms'], operands: ['a'], flags: {timeout: 500}},
		{args: ['messages', 'wait', 'a', '--timeout', '5'], operands: ['a'], flags: {timeout: 5000}},
		{
			args: ['messages', 'wait', 'a', '--subject', 's', '--from', 'f', '--to', 't', '--after', 'i', '--field', 'text'],
			operands: ['a'],
			flags: {timeout: 30_000, subject: 's', from: 'f', to: 't', after: 'i', field: [{name: 'text'}]},
		},
		{
			args: [
				'messages',
				'wait',
				'a',
				'--header',
				'X: 1',
				'--header',
				'Y: 2',
				'--count',
				'3',
				'--field',
				'link[/reset/]',
			],
			operands: ['a'],
			flags: {
				timeout: 30_000,
				header: ['X: 1', 'Y: 2'],
				count: 3,
				field: [{name: 'link', link: '/reset/'}],
			},
		},
		{
			args: ['messages', 'wait', 'a', '--new', '--absent', '--exact', '--report', 'junit', 'wait.xml'],
			operands: ['a'],
			flags: {timeout: 30_000, new: true, absent: true, exact: true, report: ['junit', 'wait.xml']},
		},
		{args: ['messages', 'list', 'a'], operands: ['a'], flags: {...noLimit}},
		{args: ['messages', 'list', 'a', '--contains', 'x'], operands: ['a'], flags: {...noLimit, contains: 'x'}},
		{args: ['messages', 'list', 'a', '--limit', '250'], operands: ['a'], flags: {limit: 250}},
		{args: ['messages', 'list', 'a', '--all'], operands: ['a'], flags: {...noLimit, all: true}},
		{args: ['messages', 'save', 'a'], operands: ['a', 'latest'], flags: {}},
		{
			args: ['messages', 'save', 'a', 'm', '-o', 'x', '-f'],
			operands: ['a', 'm'],
			flags: {output: 'x', force: true},
		},
		{args: ['send', 'a@b', 'c'], operands: [['a@b', 'c']], flags: {...sender}},
		{args: ['send', 'a', '--attach', 'x', 'y'], operands: [['a']], flags: {...sender, attach: ['x', 'y']}},
		{args: ['send', 'a', '--raw'], operands: [['a']], flags: {...sender, raw: true}},
		{args: ['users', 'token', 'a', '--expires-in', '7d'], operands: ['a'], flags: {expiresIn: 604_800_000}},
		{args: ['daemon', 'start'], flags: {faultAddresses: true}},
	])('$args', async ({args, operands = [], flags}) => {
		expect(await parse(args)).toEqual({operands, flags});
	});

	test('each setting of the daemon has its flag', async () => {
		const args = ['daemon', 'start', '--smtp-port', '0', '--webhook-retry-delay', '1s', '--smtp-auth', 'a:b'];
		const {flags} = await parse(args);
		expect(daemonFlags(flags)).toEqual({smtpPort: '0', webhookRetryDelayMs: '1s', smtpAuth: 'a:b'});
	});

	test('a setting that is a list takes its flag once for each', async () => {
		const certificates = ['--tls-cert', 'a.test=a.pem,a.key', '--tls-cert', '*.b.test=b.pem,b.key'];
		const {flags} = await parse(['daemon', 'start', ...certificates, '--host-names', 'a,b', '--host-names', 'c']);
		expect(daemonFlags(flags)).toEqual({tlsCert: 'a.test=a.pem,a.key,*.b.test=b.pem,b.key', hostNames: 'a,b,c'});
	});

	test.each([
		{args: ['messages', 'wait', 'a', '--timeout', 'soon'], says: '500ms, 30s or 2m'},
		{args: ['messages', 'wait', 'a', '--count', '101'], says: 'at least 1 and at most 100'},
		{args: ['messages', 'wait', 'a', '--new', '--after', 'x'], says: 'cannot be used with'},
		{args: ['messages', 'wait', 'a', '--absent', '--count', '2'], says: 'cannot be used with'},
		{args: ['messages', 'wait', 'a', '--field', 'colour'], says: 'The fields are: code, link'},
		{args: ['messages', 'wait', 'a', '--field', 'id', '--json'], says: 'cannot be used with'},
		{args: ['messages', 'list', 'a', '--limit', '0'], says: 'at least 1'},
		{args: ['messages', 'list', 'a', '--json=colour'], says: 'The fields are: id, inbox_id, from'},
	])('$args is refused with the right way to write it', async ({args, says}) => {
		await expect(parse(args)).rejects.toThrow(says);
	});
});

test('--home with nothing in it, as of a variable that is not set, is not the current folder', async () => {
	expect(await runFake(['inbox', 'list', '--home', ''])).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('Specify a folder, as in --home mail.'),
	});
});
