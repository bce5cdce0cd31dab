import {Command} from 'commander';
import {describe, expect, test} from 'vitest';
import {addStart} from '../../src/cli/commands/daemon/start.js';
import {addCreate} from '../../src/cli/commands/inbox/create.js';
import {addUpdate} from '../../src/cli/commands/inbox/update.js';
import {addList} from '../../src/cli/commands/messages/list.js';
import {addSave} from '../../src/cli/commands/messages/save.js';
import {addWait} from '../../src/cli/commands/messages/wait.js';
import {fillSend} from '../../src/cli/commands/send.js';
import {addToken} from '../../src/cli/commands/users/token.js';
import type {Context} from '../../src/cli/context.js';
import {fakeContext} from '../helpers/context.js';

type Add = (parent: Command, context: Context, run: (options: object) => Promise<void>) => void;

const send: Add = (parent, context, run) => fillSend(parent.command('send'), context, run);

/** What the command's `run` gets to see of the arguments. */
async function parse(add: Add, args: readonly string[]): Promise<object | undefined> {
	let seen: object | undefined;
	const parent = new Command().exitOverride().configureOutput({writeErr: () => {}});
	add(parent, fakeContext().context, async options => {
		seen = options;
	});
	await parent.parseAsync(args, {from: 'user'});
	return seen;
}

describe('arguments become options', () => {
	const noLimit = {limit: 20};
	const sender = {from: 'hello@tinbox.test'};
	test.each<{add: Add; args: string[]; options: object}>([
		{add: addCreate, args: ['create'], options: {}},
		{add: addCreate, args: ['create', '--name', 'a', '--ttl', '1h'], options: {name: 'a', ttl: 3_600_000}},
		{add: addCreate, args: ['create', '--address', '*@x.test'], options: {address: '*@x.test'}},
		{add: addCreate, args: ['create', '--json='], options: {json: []}},
		{add: addCreate, args: ['create', '--json=id, name'], options: {json: ['id', 'name']}},
		{add: addUpdate, args: ['update', 'a', '--no-team'], options: {inbox: 'a', team: false}},
		{add: addUpdate, args: ['update', 'a', '--name', 'b'], options: {inbox: 'a', name: 'b'}},
		{add: addWait, args: ['wait', 'a'], options: {inbox: 'a', timeout: 30_000}},
		{add: addWait, args: ['wait', 'a', '--timeout', '2m'], options: {inbox: 'a', timeout: 120_000}},
		{add: addWait, args: ['wait', 'a', '--timeout', '500ms'], options: {inbox: 'a', timeout: 500}},
		{add: addWait, args: ['wait', 'a', '--timeout', '5'], options: {inbox: 'a', timeout: 5000}},
		{
			add: addWait,
			args: ['wait', 'a', '--subject', 's', '--from', 'f', '--to', 't', '--after', 'i', '--field', 'text'],
			options: {inbox: 'a', timeout: 30_000, subject: 's', from: 'f', to: 't', after: 'i', field: {name: 'text'}},
		},
		{
			add: addWait,
			args: ['wait', 'a', '--header', 'X: 1', '--header', 'Y: 2', '--count', '3', '--field', 'link[/reset/]'],
			options: {
				inbox: 'a',
				timeout: 30_000,
				header: ['X: 1', 'Y: 2'],
				count: 3,
				field: {name: 'link', link: '/reset/'},
			},
		},
		{
			add: addWait,
			args: ['wait', 'a', '--new', '--absent', '--exact', '--report', 'junit', 'wait.xml'],
			options: {inbox: 'a', timeout: 30_000, new: true, absent: true, exact: true, report: ['junit', 'wait.xml']},
		},
		{add: addList, args: ['list', 'a'], options: {inbox: 'a', ...noLimit}},
		{add: addList, args: ['list', 'a', '--contains', 'x'], options: {inbox: 'a', ...noLimit, contains: 'x'}},
		{add: addList, args: ['list', 'a', '--limit', '250'], options: {inbox: 'a', limit: 250}},
		{add: addList, args: ['list', 'a', '--all'], options: {inbox: 'a', ...noLimit, all: true}},
		{add: addSave, args: ['save', 'a'], options: {inbox: 'a', message: 'latest'}},
		{
			add: addSave,
			args: ['save', 'a', 'm', '-o', 'x', '-f'],
			options: {inbox: 'a', message: 'm', output: 'x', force: true},
		},
		{add: send, args: ['send', 'a@b', 'c'], options: {to: ['a@b', 'c'], ...sender}},
		{add: send, args: ['send', 'a', '--attach', 'x', 'y'], options: {to: ['a'], ...sender, attach: ['x', 'y']}},
		{add: send, args: ['send', 'a', '--raw'], options: {to: ['a'], ...sender, raw: true}},
		{add: addToken, args: ['token', 'a', '--expires-in', '7d'], options: {user: 'a', expiresIn: 604_800_000}},
		{add: addStart, args: ['start'], options: {settings: {}}},
	])('$args', async ({add, args, options}) => {
		expect(await parse(add, args)).toEqual(options);
	});

	test('each setting of the daemon has its flag', async () => {
		const args = ['start', '--smtp-port', '0', '--webhook-retry-delay', '1s', '--smtp-auth', 'a:b'];
		expect(await parse(addStart, args)).toMatchObject({
			settings: {smtpPort: '0', webhookRetryDelayMs: '1s', smtpAuth: 'a:b'},
		});
	});

	test.each([
		{add: addWait, args: ['wait', 'a', '--timeout', 'soon'], says: '2m or 500ms'},
		{add: addWait, args: ['wait', 'a', '--count', '101'], says: 'at least 1 and at most 100'},
		{add: addWait, args: ['wait', 'a', '--new', '--after', 'x'], says: 'cannot be used with'},
		{add: addWait, args: ['wait', 'a', '--absent', '--count', '2'], says: 'cannot be used with'},
		{add: addWait, args: ['wait', 'a', '--field', 'colour'], says: 'The fields are: code, link'},
		{add: addWait, args: ['wait', 'a', '--field', 'id', '--json'], says: 'cannot be used with'},
		{add: addList, args: ['list', 'a', '--limit', '0'], says: 'at least 1'},
		{add: addList, args: ['list', 'a', '--json=colour'], says: 'The fields are: id, inbox_id, from'},
	])('$args is refused with the right way to write it', async ({add, args, says}) => {
		await expect(parse(add, args)).rejects.toThrow(says);
	});
});
