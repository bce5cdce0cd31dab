import {describe, expect, onTestFinished, test} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, startServer, type TestServer, testTls} from './test-server.js';

const modes = ['plain', 'STARTTLS', 'implicit'] as const;

async function open(mode: (typeof modes)[number]): Promise<{running: TestServer; client: RawClient}> {
	const running = await startServer({tls: mode === 'plain' ? null : testTls()});
	const client = await (mode === 'plain' ? RawClient.open(running.port) : RawClient.openTls(running, mode));
	return {running, client};
}

/** Sequences that some servers accept as the end of a mail. Only CRLF.CRLF is valid. */
const falseEndings = [
	...['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\n.\r', '\r.\n', '\n\n.\n\n', '\r\r.\r\r'],
	...['\r\r\n.\r\r\n', '\r\n.\r\r\n', '\r\r\n.\n', '\n\r.\n\r', '\r\n\r.\r', '\n\n.\r\n', '\r\n.\n\r', '\n.\r\r\n'],
	...['\r\n\0.\r\n', '\r\n.\0\r\n', '\0\r\n.\0\r\n', '\r\0\n.\r\n', '\r\n.\r\0\n', '\r\n.\t\r\n', '\r\n. \r\n'],
	...['\r\n .\r\n', '\r\n\t.\r\n', '\r\n..\r\n', '\r\n...\r\n', '\n..\n', '\r\n..\n', '\n..\r\n', '\x85.\x85'],
	...['\r\n.\x85', '\v.\v', '\f.\f', '\r\n\xff.\r\n', '\r\n.\xff\r\n', '\r\n\x1a\r\n', '\r\n\x04\r\n'],
	'\r\n\xe3\x80\x82\r\n',
];

const hidden = 'MAIL FROM:<evil@example.test>\r\nRCPT TO:<victim@tinbox.test>\r\nDATA\r\nSubject: evil\r\n\r\nevil';

/** Sends the data of one mail in two TCP segments, and resolves to the stored sources. */
async function sendInSegments(client: RawClient, {mails}: TestServer, data: string, splitAt: number): Promise<unknown> {
	await client.beginMail();
	client.send(data.slice(0, splitAt));
	await client.flush();
	client.send(data.slice(splitAt));
	expect(await client.reply()).toBe('250 2.6.0 Stored');
	expect(await client.say('NOOP')).toBe('250 2.0.0 OK');
	return mails.splice(0).map(({source}) => source);
}

/** A mail with a second one after a false ending, as sent and as stored. */
function mailWith(ending: string) {
	const mail = `Subject: x\r\n\r\nhello${ending}${hidden}\r\n`;
	return {sent: `${mail}.\r\n`, mail: mail.replace(/(^|\r\n)\.\./g, '$1.')};
}

describe.each(falseEndings.map(ending => ({ending, shown: JSON.stringify(ending)})))('$shown', ({ending}) => {
	test.each(modes)('does not end a mail in any two TCP segments: %s', async mode => {
		const {running, client} = await open(mode);
		const {sent, mail} = mailWith(ending);
		for (let splitAt = 0; splitAt < sent.length; splitAt++) {
			expect(await sendInSegments(client, running, sent, splitAt), `cut at ${splitAt}`).toEqual([mail]);
		}
	});
});

test('the smuggling check detects a relay that normalizes line ends', async () => {
	const running = await startServer();
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'normalizing');
	onTestFinished(relay.close);
	const client = await RawClient.open(relay.port);
	await expect(sendInSegments(client, running, mailWith('\n.\n').sent, 0)).rejects.toThrow('2.1.0 Accepted');
	expect(running.mails).toContainEqual(expect.objectContaining({source: expect.stringMatching(/^Subject: evil/)}));
});

const starts = ['..\r\n', '..', '.', '...\r\n'].flatMap(first => modes.map(mode => ({first, mode})));

test.each(starts)('a first TCP segment of $first does not end a mail: $mode', async ({first, mode}) => {
	const {running, client} = await open(mode);
	const rest = `${first.endsWith('\n') ? '' : '.x\r\n'}${hidden}\r\n`;
	const sent = `${first}${rest}`;
	for (let splitAt = 0; splitAt <= first.length + 3; splitAt++) {
		expect(await sendInSegments(client, running, `${sent}.\r\n`, splitAt), `cut at ${splitAt}`).toEqual([
			sent.slice(1),
		]);
	}
});

test.each(modes)('a mail in any two TCP segments is stored completely: %s', async mode => {
	const {running, client} = await open(mode);
	const mail = 'Subject: x\r\n\r\n..a\r\n..\r\nend\r\n';
	for (let splitAt = 0; splitAt <= mail.length + 3; splitAt++) {
		expect(await sendInSegments(client, running, `${mail}.\r\n`, splitAt)).toEqual([
			'Subject: x\r\n\r\n.a\r\n.\r\nend\r\n',
		]);
	}
});
