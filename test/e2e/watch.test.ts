import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished} from 'vitest';
import {bin, type Cli, cliTest, ownEnv} from '../helpers/cli.js';
import {hasPty, Pty} from '../helpers/pty.js';
import {startReceiver} from '../helpers/webhook-receiver.js';

const ctrlZ = '\x1a';
const escapeKey = '\x1b';

async function openTerminal(home: string, env: NodeJS.ProcessEnv = {}): Promise<Pty> {
	const pty = await Pty.open({rows: 30, columns: 130, cwd: home, env: {...ownEnv(home), ...env}});
	onTestFinished(async () => pty.close());
	return pty;
}

/** Starts `tinbox watch` in the shell and waits for the live feed. */
async function watch(pty: Pty): Promise<void> {
	pty.type(`"${process.execPath}" "${bin}" watch\r`);
	await pty.shows('tinbox ● live');
}

async function send(cli: Cli, to: string, subject: string, text: string): Promise<void> {
	expect(await cli('send', to, '--subject', subject, '--text', text)).toMatchObject({exitCode: 0});
}

/** Asserts that the normal screen, the terminal modes and the settings of the shell are restored. */
async function expectRestored(pty: Pty, settings: string): Promise<void> {
	expect(pty.screen.isAlternate).toBe(false);
	const restored = ['-?1000', '-?1006', '-?1049', '-?2004', '-?2026', '8', '?25', '?7'];
	expect([...pty.screen.modes].sort()).toEqual(restored.sort());
	expect(await pty.settings()).toBe(settings);
}

/** Skipped on machines without util-linux's `script`. */
const ptyTest = cliTest.skipIf(!hasPty);

ptyTest(
	'watch creates an inbox, shows, filters and deletes mail, redelivers webhooks, resizes, suspends and quits',
	async ({home, cli}) => {
		const receiver = await startReceiver(500, 200);
		await cli('daemon', 'start');
		const pty = await openTerminal(home);
		const settings = await pty.settings();
		await watch(pty);
		await pty.shows('No inboxes yet. Press n', 'to create one.');

		pty.type('nsignup\r');
		await pty.shows('signup  ', '@tinbox.test. Press y to copy the address.');
		pty.type('ya');
		await pty.shows('Copied ');
		const address = pty.screen.copied.at(-1) ?? '';
		expect(address).toMatch(/^\S+@tinbox\.test$/);

		await cli('webhooks', 'create', receiver.url);
		await send(cli, address, 'Welcome', 'Hello and welcome.');
		await send(cli, address, 'Confirm your sign-up', 'Your verification code is 482193.');
		await send(cli, address, 'Evil \x1b[2J\x1b]0;pwned\x07 日本語 👨‍👩‍👧', 'Nothing.');
		await pty.shows('3 new', 'Welcome', 'Confirm your sign-up', 'Evil  日本語 👨👩👧');

		pty.type('l/confirm\r');
		await pty.until(text => text.includes('"confirm" in signup') && !text.includes('Welcome'));
		pty.type('l');
		await pty.shows('Your verification code is 482193.', 'Codes 1');
		pty.type('yc');
		await pty.shows('Copied 482193 (terminal clipboard, OSC 52)');
		expect(pty.screen.copied.at(-1)).toBe('482193');

		pty.type('h');
		pty.type('d');
		await pty.shows('Delete the message "Confirm your sign-up"?', 'y/N');
		pty.type('y');
		await pty.shows('No messages match the filter.');
		pty.type(escapeKey);
		await pty.until(text => text.includes('Welcome') && !text.includes('Confirm'));

		pty.type('w');
		await pty.shows('▌Endpoints', 'http://127.0.0.1');
		await pty.until(text => /Retrying +500/.test(text));
		pty.type('l');
		pty.type('Gr');
		await pty.shows('Redelivered. Response 200.');
		await pty.until(text => !/Retrying +500/.test(text));
		pty.type('w');

		pty.resize(15, 60);
		await pty.until(
			text => text.startsWith(' tinbox ● live') && text.includes('▌Messages') && !text.includes('Inboxes'),
		);
		pty.resize(30, 130);
		await pty.shows('Inboxes', '▌Messages', ' Message ');

		pty.type(ctrlZ);
		await pty.shows('Stopped');
		expect(pty.screen.isAlternate).toBe(false);
		expect([...pty.screen.modes]).toEqual(expect.arrayContaining(['-?1000', '-?1006', '-?2004']));
		pty.type('echo in the shell\r');
		await pty.shows('in the shell\n');
		pty.type('fg\r');
		await pty.shows('▌Messages', 'Welcome');
		expect(pty.screen.isAlternate).toBe(true);

		expect(pty.screen.foreign).toEqual([]);
		pty.type('q');
		await pty.until(text => text.includes('fg\n') && text.trimEnd().endsWith('$'));
		await expectRestored(pty, settings);
	},
);

ptyTest('watch shows faults and hits live, and d deletes a fault', async ({home, cli}) => {
	await cli('inbox', 'create', '--name', 'signup');
	await cli('faults', 'add', 'signup', 'mailbox-full', '--times', '2');
	const pty = await openTerminal(home);
	await watch(pty);
	await pty.shows('signup');
	pty.type('F');
	await pty.shows('▌Faults for signup', 'No hits yet.', 'mailbox-full', 'Hit 0/0 2 left');
	expect(await cli('send', 'signup')).toMatchObject({exitCode: 1});
	await pty.shows('Hit 1/1 1 left', '452 4.2.2 Mailbox full');
	pty.type('j');
	await pty.shows('>mailbox-full', 'Client', '127.0.0.1');
	pty.type('d');
	await pty.shows('Delete the fault "mailbox-full"?', 'y/N');
	pty.type('y');
	await pty.shows('Deleted the fault.');
	await pty.until(text => !text.includes('1 left'));
	await send(cli, 'signup', 'There is room again', 'Hello');
	pty.type('F');
	await pty.shows('▌Inboxes', 'There is room again');
	expect(pty.screen.foreign).toEqual([]);
	pty.type('q');
});

ptyTest('watch selects rows, opens tabs and scrolls by mouse', async ({home, cli}) => {
	await cli('inbox', 'create', '--name', 'signup');
	await send(cli, 'signup', 'First', `${'line\n'.repeat(40)}the end`);
	await send(cli, 'signup', 'Second', 'Hello');
	const pty = await openTerminal(home);
	const settings = await pty.settings();
	await watch(pty);
	await pty.shows('First', 'Second', 'Hello');
	expect([...pty.screen.modes]).toEqual(expect.arrayContaining(['?1000', '?1006']));
	const at = (text: string) => {
		const row = pty.screen.lines.findIndex(line => line.includes(text));
		return `${(pty.screen.lines[row]?.indexOf(text) ?? 0) + 1};${row + 1}M`;
	};
	pty.type(`\x1b[<0;${at('First')}`);
	await pty.shows('▌Messages in signup', 'Subject   First', '1 to 23 of 42');
	pty.type(`\x1b[<65;${at('Subject ')}`.repeat(10));
	await pty.shows('the end', '20 to 42 of 42');
	pty.type(`\x1b[<0;${at('Source')}`);
	await pty.shows('▌Message ', 'Subject: First');
	pty.type('q');
	await pty.until(() => !pty.screen.isAlternate);
	await expectRestored(pty, settings);
});

ptyTest.for([
	{TERM: 'xterm-256color', NO_COLOR: '1'},
	{TERM: 'vt100', FORCE_COLOR: undefined},
])('watch without colors (%j) marks the selected row with ">" and reverse video', async (env, {home, cli}) => {
	await cli('inbox', 'create', '--name', 'signup');
	await send(cli, 'signup', 'Hello', 'Your code is 4711.');
	const pty = await openTerminal(home, env);
	await watch(pty);
	pty.type('l');
	await pty.shows('>  ', '▌Messages in signup', 'Your code is 4711.');
	expect(pty.screen.modes.has('?1006')).toBe(env.TERM !== 'vt100');
	const cells = pty.screen.cells.flat();
	expect(new Set(cells.map(({style}) => style.color))).toEqual(new Set([undefined]));
	const inReverse = cells.filter(({style}) => style.inverse).map(({text}) => text);
	expect(inReverse.join('')).toMatch(/^>.*Hello *$/);
	expect(cells.filter(({style}) => style.bold).length).toBeGreaterThan(0);
});

ptyTest('watch reconnects to a restarted daemon', async ({home, cli}) => {
	const started = await cli('daemon', 'start', '--json');
	const {smtp, url} = JSON.parse(started.stdout);
	const ports = ['--smtp-port', String(smtp.port), '--http-port', new URL(url).port];
	await cli('inbox', 'create', '--name', 'signup');
	await send(cli, 'signup', 'Before', 'Hello');
	const pty = await openTerminal(home);
	await watch(pty);
	await pty.shows('Before');
	await cli('daemon', 'stop');
	await pty.shows('tinbox ✗ reconnecting …', 'Before');
	await cli('daemon', 'start', ...ports);
	await pty.shows('tinbox ● live');
	await send(cli, 'signup', 'After', 'Hello');
	await pty.shows('After', 'Before');
});

ptyTest('watch reconnects to a daemon that restarted on other ports', async ({home, cli}) => {
	await cli('inbox', 'create', '--name', 'signup');
	const pty = await openTerminal(home);
	await watch(pty);
	await cli('daemon', 'stop');
	await pty.shows('tinbox ✗ reconnecting …');
	const {smtp, url} = JSON.parse((await cli('daemon', 'start', '--json')).stdout);
	await pty.shows('tinbox ● live', `smtp ${smtp.host}:${smtp.port}`, `http ${new URL(url).host}`);
	await send(cli, 'signup', 'After', 'Hello');
	await pty.shows('After', '1 new');
});

ptyTest('watch shows a webhook endpoint that another program creates', async ({home, cli}) => {
	await cli('daemon', 'start');
	const pty = await openTerminal(home);
	await watch(pty);
	pty.type('w');
	await pty.shows('No endpoints yet. Run:', 'tinbox webhooks create', '<url>');
	await cli('webhooks', 'create', 'http://127.0.0.1:9/later');
	await pty.shows('http://127.0.0.1:9/', 'No deliveries yet');
});

ptyTest.for([
	['SIGTERM', 143],
	['SIGHUP', 129],
	['SIGINT', 130],
] as const)('%s ends watch by that signal and restores the terminal', async ([signal, status], {home, cli}) => {
	await cli('daemon', 'start');
	const pty = await openTerminal(home);
	const settings = await pty.settings();
	pty.type(`sh -c 'echo $$ > pid; exec "${process.execPath}" "${bin}" watch'\r`);
	await pty.shows('tinbox ● live');
	process.kill(Number(await readFile(path.join(home, 'pid'), 'utf8')), signal);
	await pty.until(() => !pty.screen.isAlternate);
	pty.type('echo "ended with $?"\r');
	await pty.shows(`ended with ${status}`);
	await expectRestored(pty, settings);
});

ptyTest('watch opens the source of a message in the pager, which gets the terminal', async ({home, cli}) => {
	await cli('daemon', 'start');
	await cli('inbox', 'create', '--name', 'signup');
	await send(cli, 'signup', 'Hello', 'Escape \x1b[31mred');
	const pty = await openTerminal(home, {PAGER: 'cat; printf "the end"; read key < /dev/tty; true'});
	await watch(pty);
	await pty.shows('Hello');
	pty.type('le');
	await pty.shows('Subject: Hello', 'the end');
	expect(pty.screen.isAlternate).toBe(false);
	pty.type('\r');
	await pty.shows('tinbox ● live', '▌Messages');
	expect(pty.screen.foreign).toEqual([]);
});

cliTest('watch without a terminal exits with code 2', async ({cli}) => {
	expect(await cli('watch')).toEqual({
		exitCode: 2,
		signal: undefined,
		stdout: '',
		stderr: '"tinbox watch" needs a terminal.\nFor programs: tinbox messages tail\n',
	});
});

ptyTest('watch --home shows the mail that a run kept, without starting a daemon', async ({home, cli}) => {
	const sendInside = `"${process.execPath}" "${bin}" send "$TINBOX_ADDRESS" --subject "Kept mail"`;
	const kept = path.join(home, 'mail');
	expect(await cli('run', '--keep', kept, '--', 'sh', '-c', sendInside)).toMatchObject({exitCode: 0});
	const pty = await openTerminal(home);
	pty.type(`"${process.execPath}" "${bin}" watch --home mail\r`);
	await pty.shows('tinbox ● live', 'Kept mail');
	pty.type('q');
	await pty.until(() => !pty.screen.isAlternate);
	pty.type('echo "ended with $?"\r');
	await pty.shows('ended with 0');
	expect((await cli('daemon', 'status')).exitCode).toBe(3);
});
