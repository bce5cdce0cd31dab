import {expect, onTestFinished, test, vi} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, startServer, type TestServer} from './test-server.js';

const maxMessageSize = 25 * 1024 * 1024;

const envelope = 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\n';

/** Oversized input, and the expected end of the output. */
const excesses: Readonly<Record<string, {readonly input: () => string; readonly expected: RegExp}>> = {
	'a command of 512 bytes': {input: () => `NOOP ${'x'.repeat(505)}\r\nNOOP\r\n`, expected: /250 .*\r\n250 .*\r\n$/},
	'a command of 10 KB': {input: () => `NOOP ${'x'.repeat(10_000)}\r\nQUIT\r\n`, expected: /^(221|421) /m},
	'a command of 1 MB': {input: () => `NOOP ${'x'.repeat(1_000_000)}\r\nQUIT\r\n`, expected: /^(221|421) /m},
	'EHLO of 10 KB': {input: () => `EHLO ${'x'.repeat(10_000)}\r\nQUIT\r\n`, expected: /^(221|421) /m},
	'a sender of 10 KB': {
		input: () => `EHLO x\r\nMAIL FROM:<${'a'.repeat(10_000)}@sender.test>\r\nQUIT\r\n`,
		expected: /^(221|421) /m,
	},
	'a recipient of 10 KB': {
		input: () => `${envelope}RCPT TO:<${'a'.repeat(10_000)}@tinbox.test>\r\nQUIT\r\n`,
		expected: /^(221|421) /m,
	},
	'a hundred thousand parameters': {
		input: () => `EHLO x\r\nMAIL FROM:<a@example.test> ${'A=1 '.repeat(100_000)}\r\nQUIT\r\n`,
		expected: /^(221|421) /m,
	},
	'credentials of 1 MB': {
		input: () => `EHLO x\r\nAUTH PLAIN ${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		expected: /^(221|421) /m,
	},
	'a user name of 1 MB': {
		input: () => `EHLO x\r\nAUTH LOGIN\r\n${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		expected: /^(221|421) /m,
	},
	'10,000 pipelined commands': {
		input: () => `${'NOOP\r\n'.repeat(10_000)}QUIT\r\n`,
		expected: /^220 .*\r\n(250 .*\r\n){10000}221 /,
	},
	'10,000 unknown commands': {input: () => `${'NOPE\r\n'.repeat(10_000)}QUIT\r\n`, expected: /^(221|421) /m},
	'1,000 recipients': {
		input: () =>
			`${envelope}${Array.from({length: 1000}, (_, tag) => `RCPT TO:<b+${tag}@tinbox.test>\r\n`).join('')}QUIT\r\n`,
		expected: /^452 4\.5\.3 [\s\S]*^221 /m,
	},
	'a mail declared with 100 GB': {
		input: () => 'EHLO x\r\nMAIL FROM:<a@example.test> SIZE=100000000000\r\nQUIT\r\n',
		expected: /^552 5\.3\.4 .*\r\n221 /m,
	},
	'a mail one byte above the maximum size': {
		input: () => `${envelope}DATA\r\n${mailOf(maxMessageSize + 1)}.\r\nQUIT\r\n`,
		expected: /^552 5\.3\.4 .*\r\n221 /m,
	},
};

test.for(Object.entries(excesses))(
	'%s is answered, and the next mail is accepted',
	{timeout: 60_000},
	async ([, {input, expected}]) => {
		const running = await startServer({maxMessageSize});
		const client = RawClient.connect(running.port);
		client.send(input());
		const expectOutput = () => expect(expected.test(client.output), client.output.slice(-200)).toBe(true);
		await vi.waitFor(expectOutput, {timeout: 55_000});
		await expectStored(running, 'Subject: next\r\n\r\nnext\r\n');
	},
);

/** Mails within all limits, which must be stored unchanged. */
const mails: Readonly<Record<string, () => string>> = {
	'one long line': () => `Subject: a long line\r\n\r\n${'x'.repeat(10_000_000)}\r\n`,
	'one long header field': () => `Subject: ${'x'.repeat(5_000_000)}\r\n\r\nx\r\n`,
	'many lines': () => `Subject: many lines\r\n\r\n${'x\r\n'.repeat(1_000_000)}`,
	'the maximum size': () => mailOf(maxMessageSize),
};

test.each(Object.entries(mails))('a mail of %s is stored unchanged', async (_name, make) => {
	await expectStored(await startServer({maxMessageSize}), make());
});

test('the oversized-input checks detect a relay that wraps long lines', async () => {
	const running = await startServer({maxMessageSize});
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'wrapping');
	onTestFinished(relay.close);
	const behind = {...running, port: relay.port};
	await expect(expectStored(behind, `Subject: x\r\n\r\n${'x'.repeat(10_000)}\r\n`)).rejects.toThrow('to be true');
});

test('an endless command ends the connection', async () => {
	const {port} = await startServer();
	const {socket} = RawClient.connect(port);
	await pour(socket, () => socket.destroyed);
	// Size of the buffers of two sockets and of the line that was read.
	expect(socket.bytesWritten).toBeLessThan(20_000_000);
});

test('an endless mail is rejected, and its bytes above the limit are discarded', async () => {
	let stored = 0;
	const {port} = await startServer(
		{maxMessageSize},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(chunk => {
					stored += chunk.length;
				});
			},
		},
	);
	const client = await RawClient.open(port);
	await client.beginMail();
	await pour(client.socket, () => client.socket.bytesWritten > 100_000_000);
	expect(stored).toBeLessThanOrEqual(maxMessageSize);
	expect(await client.say('\r\n.')).toMatch(/^552 5\.3\.4 /);
});

/** Writes until `isOver` returns true. */
async function pour(socket: RawClient['socket'], isOver: () => boolean): Promise<void> {
	const piece = 'x'.repeat(1_000_000);
	const closed = new Promise(resolve => socket.once('close', resolve));
	while (!isOver()) {
		if (!socket.write(piece)) {
			await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))]);
		}
	}
}

async function expectStored({port, mails: stored}: TestServer, mail: string): Promise<void> {
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send(mail);
	expect(await client.say('.')).toMatch(/^250 /);
	// Not compared by the matcher, which would print it.
	expect(stored.length === 1 && stored[0]?.source === mail).toBe(true);
}

function mailOf(bytes: number): string {
	const line = 'A line of a large mail, with as many bytes as a line has.\r\n';
	const head = 'Subject: large\r\n\r\n';
	const lines = line.repeat(Math.floor((bytes - head.length - 100) / line.length));
	return `${head + lines + 'x'.repeat(bytes - head.length - lines.length - 2)}\r\n`;
}
