import {expect, onTestFinished, test, vi} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, type Running, startServer} from './smtp-test.js';

const maxMessageSize = 25 * 1024 * 1024;

const envelope = 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\n';

/** What is too long or too much: what is said, and what must be heard in the end. */
const excesses: Readonly<Record<string, {readonly said: () => string; readonly heard: RegExp}>> = {
	'a command of 512 bytes': {said: () => `NOOP ${'x'.repeat(505)}\r\nNOOP\r\n`, heard: /250 .*\r\n250 .*\r\n$/},
	'a command of 10 KB': {said: () => `NOOP ${'x'.repeat(10_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'a command of 1 MB': {said: () => `NOOP ${'x'.repeat(1_000_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'EHLO of 10 KB': {said: () => `EHLO ${'x'.repeat(10_000)}\r\nQUIT\r\n`, heard: /^(221|421) /m},
	'a sender of 10 KB': {
		said: () => `EHLO x\r\nMAIL FROM:<${'a'.repeat(10_000)}@sender.test>\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a recipient of 10 KB': {
		said: () => `${envelope}RCPT TO:<${'a'.repeat(10_000)}@tinbox.test>\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a hundred thousand parameters': {
		said: () => `EHLO x\r\nMAIL FROM:<a@example.test> ${'A=1 '.repeat(100_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'credentials of 1 MB': {
		said: () => `EHLO x\r\nAUTH PLAIN ${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'a name to log in of 1 MB': {
		said: () => `EHLO x\r\nAUTH LOGIN\r\n${'a'.repeat(1_000_000)}\r\nQUIT\r\n`,
		heard: /^(221|421) /m,
	},
	'10,000 commands at once': {
		said: () => `${'NOOP\r\n'.repeat(10_000)}QUIT\r\n`,
		heard: /^220 .*\r\n(250 .*\r\n){10000}221 /,
	},
	'10,000 commands that are none': {said: () => `${'NOPE\r\n'.repeat(10_000)}QUIT\r\n`, heard: /^(221|421) /m},
	'1,000 recipients': {
		said: () =>
			`${envelope}${Array.from({length: 1000}, (_, tag) => `RCPT TO:<b+${tag}@tinbox.test>\r\n`).join('')}QUIT\r\n`,
		heard: /^452 4\.5\.3 [\s\S]*^221 /m,
	},
	'a mail said to be of 100 GB': {
		said: () => 'EHLO x\r\nMAIL FROM:<a@example.test> SIZE=100000000000\r\nQUIT\r\n',
		heard: /^552 5\.3\.4 .*\r\n221 /m,
	},
	'a mail of one byte too many': {
		said: () => `${envelope}DATA\r\n${mailOf(maxMessageSize + 1)}.\r\nQUIT\r\n`,
		heard: /^552 5\.3\.4 .*\r\n221 /m,
	},
};

test.for(Object.entries(excesses))(
	'%s is answered, and the next mail taken',
	{timeout: 60_000},
	async ([, {said, heard}]) => {
		const running = await startServer({maxMessageSize});
		const client = RawClient.connect(running.port);
		client.send(said());
		const isHeard = () => expect(heard.test(client.heard), client.heard.slice(-200)).toBe(true);
		await vi.waitFor(isHeard, {timeout: 55_000});
		await expectTaken(running, 'Subject: next\r\n\r\nnext\r\n');
	},
);

/** Mails that are allowed, and must be kept as they are. */
const mails: Readonly<Record<string, () => string>> = {
	'a long line': () => `Subject: a long line\r\n\r\n${'x'.repeat(10_000_000)}\r\n`,
	'a long field': () => `Subject: ${'x'.repeat(5_000_000)}\r\n\r\nx\r\n`,
	'many lines': () => `Subject: many lines\r\n\r\n${'x\r\n'.repeat(1_000_000)}`,
	'as many bytes as are allowed': () => mailOf(maxMessageSize),
};

test.each(Object.entries(mails))('a mail of %s is stored', async (_name, make) => {
	await expectTaken(await startServer({maxMessageSize}), make());
});

test('these checks find a relay that breaks long lines', async () => {
	const running = await startServer({maxMessageSize});
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'wrapping');
	onTestFinished(relay.close);
	const behind = {...running, port: relay.port};
	await expect(expectTaken(behind, `Subject: x\r\n\r\n${'x'.repeat(10_000)}\r\n`)).rejects.toThrow('to be true');
});

test('a command without an end is rejected at a limit', async () => {
	const {port} = await startServer();
	const {socket} = RawClient.connect(port);
	await pour(socket, () => socket.destroyed);
	// What the buffers of two sockets hold, and the line that was read.
	expect(socket.bytesWritten).toBeLessThan(20_000_000);
});

test('a mail without an end is rejected, and its bytes are dropped', async () => {
	let taken = 0;
	const {port} = await startServer(
		{maxMessageSize},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(chunk => {
					taken += chunk.length;
				});
			},
		},
	);
	const client = await RawClient.greeted(port);
	await client.beginMail();
	await pour(client.socket, () => client.socket.bytesWritten > 100_000_000);
	expect(taken).toBeLessThanOrEqual(maxMessageSize);
	expect(await client.say('\r\n.')).toMatch(/^552 5\.3\.4 /);
});

/** Writes for as long as somebody reads. */
async function pour(socket: RawClient['socket'], isOver: () => boolean): Promise<void> {
	const piece = 'x'.repeat(1_000_000);
	const closed = new Promise(resolve => socket.once('close', resolve));
	while (!isOver()) {
		if (!socket.write(piece)) {
			await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))]);
		}
	}
}

async function expectTaken({port, mails: kept}: Running, mail: string): Promise<void> {
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send(mail);
	expect(await client.say('.')).toMatch(/^250 /);
	// Not compared by the matcher, which would print it.
	expect(kept.length === 1 && kept[0]?.source === mail).toBe(true);
}

function mailOf(bytes: number): string {
	const line = 'A line of a large mail, with as many bytes as a line has.\r\n';
	const head = 'Subject: large\r\n\r\n';
	const lines = line.repeat(Math.floor((bytes - head.length - 100) / line.length));
	return `${head + lines + 'x'.repeat(bytes - head.length - lines.length - 2)}\r\n`;
}
