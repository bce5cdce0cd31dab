import {readFile} from 'node:fs/promises';
import {Command} from 'commander';
import {describe, expect, test} from 'vitest';
import {addDaemonFlags, daemonFlags} from '../../../src/cli/control/settings.js';
import {createProgram} from '../../../src/cli/program.js';
import {daemonSettings, flagOf, settingNames} from '../../../src/config/settings.js';
import {fakeContext, runFake} from '../../helpers/context.js';

type ParsedCommand = {readonly operands: readonly unknown[]; readonly flags: Readonly<Record<string, unknown>>};

/** Operands and flags that the action of the command receives for these arguments. */
async function parse(args: readonly string[]): Promise<ParsedCommand> {
	const program = await createProgram(fakeContext().context, args);
	const command = args.reduce<Command>(
		(parent, word) => parent.commands.find(child => child.name() === word) ?? parent,
		program,
	);
	let parsed: ParsedCommand | undefined;
	command.action((...received) => {
		parsed = {operands: received.slice(0, -2).filter(operand => operand !== undefined), flags: received.at(-2)};
	});
	await program.parseAsync(args, {from: 'user'});
	return parsed ?? {operands: [], flags: {}};
}

describe('the command line parser', () => {
	const defaultLimit = {limit: 20};
	const defaultSender = {from: 'hello@tinbox.test'};
	const commands: ReadonlyArray<{args: string[]; operands?: readonly unknown[]; flags: object}> = [
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
		{args: ['messages', 'list', 'a'], operands: ['a'], flags: {...defaultLimit}},
		{args: ['messages', 'list', 'a', '--contains', 'x'], operands: ['a'], flags: {...defaultLimit, contains: 'x'}},
		{args: ['messages', 'list', 'a', '--limit', '250'], operands: ['a'], flags: {limit: 250}},
		{args: ['messages', 'list', 'a', '--all'], operands: ['a'], flags: {...defaultLimit, all: true}},
		{args: ['messages', 'save', 'a'], operands: ['a', 'latest'], flags: {}},
		{
			args: ['messages', 'save', 'a', 'm', '-o', 'x', '-f'],
			operands: ['a', 'm'],
			flags: {output: 'x', force: true},
		},
		{args: ['send', 'a@b', 'c'], operands: [['a@b', 'c']], flags: {...defaultSender}},
		{args: ['send', 'a', '--attach', 'x', 'y'], operands: [['a']], flags: {...defaultSender, attach: ['x', 'y']}},
		{args: ['send', 'a', '--raw'], operands: [['a']], flags: {...defaultSender, raw: true}},
		{args: ['users', 'token', 'a', '--expires-in', '7d'], operands: ['a'], flags: {expiresIn: 604_800_000}},
		{args: ['daemon', 'start'], flags: {faultAddresses: true}},
	];

	test.each(commands.map(row => [row.args.join(' '), row] as const))(
		'turns "%s" into operands and flags',
		async (_, {args, operands = [], flags}) => {
			expect(await parse(args)).toEqual({operands, flags});
		},
	);

	test('accepts a flag for each setting of the daemon', async () => {
		const args = ['daemon', 'start', '--smtp-port', '0', '--webhook-retry-delay', '1s', '--smtp-auth', 'a:b'];
		const {flags} = await parse(args);
		expect(daemonFlags(flags)).toEqual({smtpPort: '0', webhookRetryDelayMs: '1s', smtpAuth: 'a:b'});
	});

	test('joins repeated flags of a list setting', async () => {
		const certificates = ['--tls-cert', 'a.test=a.pem,a.key', '--tls-cert', '*.b.test=b.pem,b.key'];
		const {flags} = await parse(['daemon', 'start', ...certificates, '--host-names', 'a,b', '--host-names', 'c']);
		expect(daemonFlags(flags)).toEqual({tlsCert: 'a.test=a.pem,a.key,*.b.test=b.pem,b.key', hostNames: 'a,b,c'});
	});

	const daemonCommands: ReadonlyArray<{args: readonly string[]; flags: object}> = [
		{args: [], flags: {}},
		{args: ['--no-fault-addresses'], flags: {noFaultAddresses: 'true'}},
		{args: ['--catch-all', '--smtp-port', '0'], flags: {catchAll: 'true', smtpPort: '0'}},
		{args: ['--host-names', 'a', '--host-names', 'b'], flags: {hostNames: 'a,b'}},
	];

	test.each(daemonCommands.map(row => [row.args.join(' '), row] as const))(
		'turns the daemon flags "%s" into only the settings that they set',
		(_, {args, flags}) => {
			const command = addDaemonFlags(new Command());
			command.parse(args, {from: 'user'});
			expect(daemonFlags(command.opts())).toEqual(flags);
		},
	);

	const invalidCommands = [
		{args: ['messages', 'wait', 'a', '--timeout', 'soon'], message: '500ms, 30s or 2m'},
		{args: ['messages', 'wait', 'a', '--count', '101'], message: 'at least 1 and at most 100'},
		{args: ['messages', 'wait', 'a', '--new', '--after', 'x'], message: 'cannot be used with'},
		{args: ['messages', 'wait', 'a', '--absent', '--count', '2'], message: 'cannot be used with'},
		{args: ['messages', 'wait', 'a', '--field', 'colour'], message: 'The fields are: code, link'},
		{args: ['messages', 'wait', 'a', '--field', 'id', '--json'], message: 'cannot be used with'},
		{args: ['messages', 'list', 'a', '--limit', '0'], message: 'at least 1'},
		{args: ['messages', 'list', 'a', '--json=colour'], message: 'The fields are: id, inbox_id, from'},
	];

	test.each(invalidCommands.map(row => [row.args.join(' '), row] as const))(
		'rejects "%s" with an error that names the supported form',
		async (_, {args, message}) => {
			await expect(parse(args)).rejects.toThrow(message);
		},
	);
});

test('an empty --home is rejected instead of selecting the current folder', async () => {
	expect(await runFake(['inbox', 'list', '--home', ''])).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('Specify a folder, as in --home mail.'),
	});
});

test('each setting with a secret is hidden from the process list', async () => {
	const script = await readFile(new URL('../../../bin/tinbox.js', import.meta.url), 'utf8');
	const [, pattern = ''] = /var secret = \/(.*)\/;/.exec(script) ?? [];
	const secret = new RegExp(pattern);
	const flags = settingNames.filter(name => daemonSettings[name].kind.isSecret).map(flagOf);
	expect(flags).toContain('--api-key');
	for (const argument of [...flags, ...flags.map(flag => `${flag}=x`), '--user', 'postgres://ann:x@host/name']) {
		expect(argument).toMatch(secret);
	}

	for (const argument of ['daemon', '--storekeeper', 'ann@shop.test', 'https://shop.test/@ann']) {
		expect(argument).not.toMatch(secret);
	}
});
