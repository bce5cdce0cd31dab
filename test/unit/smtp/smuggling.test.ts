import {describe, expect, onTestFinished, test} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, type Running, startServer} from './smtp-test.js';
import {testTls} from './tls-test.js';

/** How mail comes. */
const ways = ['plain', 'STARTTLS', 'implicit'] as const;

async function open(way: (typeof ways)[number]): Promise<{running: Running; client: RawClient}> {
	const running = await startServer({tls: way === 'plain' ? null : testTls()});
	const client = await (way === 'plain' ? RawClient.greeted(running.port) : RawClient.secure(running, way));
	return {running, client};
}

/** What some server somewhere took for the end of a mail, or might. Here only CRLF.CRLF is. */
const falseEndings = [
	...['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\n.\r', '\r.\n', '\n\n.\n\n', '\r\r.\r\r'],
	...['\r\r\n.\r\r\n', '\r\n.\r\r\n', '\r\r\n.\n', '\n\r.\n\r', '\r\n\r.\r', '\n\n.\r\n', '\r\n.\n\r', '\n.\r\r\n'],
	...['\r\n\0.\r\n', '\r\n.\0\r\n', '\0\r\n.\0\r\n', '\r\0\n.\r\n', '\r\n.\r\0\n', '\r\n.\t\r\n', '\r\n. \r\n'],
	...['\r\n .\r\n', '\r\n\t.\r\n', '\r\n..\r\n', '\r\n...\r\n', '\n..\n', '\r\n..\n', '\n..\r\n', '\x85.\x85'],
	...['\r\n.\x85', '\v.\v', '\f.\f', '\r\n\xff.\r\n', '\r\n.\xff\r\n', '\r\n\x1a\r\n', '\r\n\x04\r\n'],
	'\r\n\xe3\x80\x82\r\n',
];

const hidden = 'MAIL FROM:<evil@example.test>\r\nRCPT TO:<victim@tinbox.test>\r\nDATA\r\nSubject: evil\r\n\r\nevil';

/** Sends the data of one mail in two segments, and gives what was stored. */
async function stored(client: RawClient, {mails}: Running, data: string, splitAt: number): Promise<unknown> {
	await client.beginMail();
	client.send(data.slice(0, splitAt));
	await client.flushed();
	client.send(data.slice(splitAt));
	expect(await client.reply()).toBe('250 2.6.0 Stored');
	expect(await client.say('NOOP')).toBe('250 2.0.0 OK');
	return mails.splice(0).map(({source}) => source);
}

/** A mail with a second one behind a false ending, as it is sent and as it must be stored. */
function mailWith(ending: string) {
	const mail = `Subject: x\r\n\r\nhello${ending}${hidden}\r\n`;
	return {sent: `${mail}.\r\n`, mail: mail.replace(/(^|\r\n)\.\./g, '$1.')};
}

describe.each(falseEndings.map(ending => ({ending, shown: JSON.stringify(ending)})))('$shown', ({ending}) => {
	test.each(ways)('does not end a mail, wherever the segments are cut: %s', async way => {
		const {running, client} = await open(way);
		const {sent, mail} = mailWith(ending);
		for (let splitAt = 0; splitAt < sent.length; splitAt++) {
			expect(await stored(client, running, sent, splitAt), `cut at ${splitAt}`).toEqual([mail]);
		}
	});
});

test('this check finds a relay that mends line ends', async () => {
	const running = await startServer();
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'normalizing');
	onTestFinished(relay.close);
	const client = await RawClient.greeted(relay.port);
	await expect(stored(client, running, mailWith('\n.\n').sent, 0)).rejects.toThrow('2.1.0 Accepted');
	expect(running.mails).toContainEqual(expect.objectContaining({source: expect.stringMatching(/^Subject: evil/)}));
});

const starts = ['..\r\n', '..', '.', '...\r\n'].flatMap(first => ways.map(way => ({first, way})));

test.each(starts)('a first segment of $first does not end a mail: $way', async ({first, way}) => {
	const {running, client} = await open(way);
	const rest = `${first.endsWith('\n') ? '' : '.x\r\n'}${hidden}\r\n`;
	const sent = `${first}${rest}`;
	for (let splitAt = 0; splitAt <= first.length + 3; splitAt++) {
		expect(await stored(client, running, `${sent}.\r\n`, splitAt), `cut at ${splitAt}`).toEqual([sent.slice(1)]);
	}
});

test.each(ways)('a mail is stored whole, wherever the segments are cut around its end: %s', async way => {
	const {running, client} = await open(way);
	const mail = 'Subject: x\r\n\r\n..a\r\n..\r\nend\r\n';
	for (let splitAt = 0; splitAt <= mail.length + 3; splitAt++) {
		expect(await stored(client, running, `${mail}.\r\n`, splitAt)).toEqual(['Subject: x\r\n\r\n.a\r\n.\r\nend\r\n']);
	}
});
