import {expect, test} from 'vitest';
import {runFake} from '../../../helpers/context.js';

test.each([
	['inbox clear', 'messages delete <inbox> --all'],
	['inbox wait a', 'messages wait <inbox>'],
	['inbox rm a', 'inbox delete'],
	['inbox get a', 'inbox show'],
	['messages read a', 'messages show'],
	['messages clear a', 'messages delete <inbox> --all'],
	['messages purge a', 'messages delete <inbox> --all'],
	['messages search a', 'messages list'],
	['messages find a', 'messages list'],
	['messages watch a', 'messages tail'],
	['msg list a', 'messages'],
	['mail list a', 'messages'],
	['webhooks logs a', 'webhooks deliveries'],
	['messages rm a b', 'messages delete'],
	['messages get a', 'messages show'],
	['webhooks add http://x', 'webhooks create'],
	['faults create a', 'faults add'],
	['faults new a', 'faults add'],
	['faults ls a', 'faults list'],
	['faults rm a', 'faults clear'],
	['faults delete a', 'faults clear'],
	['fault list a', 'faults'],
	['chaos', 'faults'],
	['keys delete 1', 'keys revoke'],
	['keys get', 'keys list'],
	['teams add x', 'teams create'],
	['--profile local inbox ls', 'inbox list'],
	['start', 'daemon start'],
	['stop', 'daemon stop'],
	['status', 'daemon status'],
	['logs -f', 'daemon logs'],
	['wait a', 'messages wait <inbox>'],
	['version', '--version'],
	['-v', '--version'],
	['inbox list --output json', 'inbox list --json'],
	['inbox list --output=json', 'inbox list --json'],
	['messages list a -o json', 'messages list --json'],
])('tinbox %s suggests the existing command tinbox %s', async (line, suggestion) => {
	const {exitCode, stdout, stderr} = await runFake(line.split(' '));
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toMatch(/^Unknown (command|option) "[\w-]+" for "tinbox[ a-z]*"\.\nDid you mean "[^"]+"\?\n$/);
	expect(stderr).toContain(`Did you mean "tinbox ${suggestion}"?`);
	const words = suggestion
		.replace(/<.*?> ?/, '')
		.trim()
		.split(' ');
	const help = await runFake([...words.filter(word => !word.startsWith('-')), '--help']);
	expect(help.exitCode).toBe(0);
	for (const flag of words.filter(word => word.startsWith('-'))) {
		expect(help.stdout).toContain(flag);
	}
});

test.each(['inbox frobnicate', 'inbox list -x', 'constructor', 'inbox toString'])(
	'tinbox %s points to the help',
	async line => {
		expect((await runFake(line.split(' '))).stderr).toMatch(/^Unknown [\s\S]*\nSee: tinbox[ a-z]* --help\n$/);
	},
);

test('inbox create with an address as argument suggests --address', async () => {
	const {exitCode, stderr} = await runFake(['inbox', 'create', 'ann@shop.test']);
	expect(exitCode).toBe(2);
	expect(stderr).toMatch(
		/^Too many arguments for "create": expected 0, got 1\.\nDid you mean "tinbox inbox create --address <address>"\?\n$/,
	);
});
