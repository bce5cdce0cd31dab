import {describe, expect, test} from 'vitest';
import {RawClient, type Running, startServer} from './smtp-test.js';

/** Line ends around a dot that some server somewhere took for the end of a mail; here only CRLF.CRLF is. */
const falseEndings = [
	'\n.\n',
	'\n.\r\n',
	'\r\n.\n',
	'\r.\r',
	'\r.\r\n',
	'\r\n.\r',
	'\r\n\0.\r\n',
	'\r\n.\0\r\n',
	'\r\r\n.\r\r\n',
	'\r\n.\t\r\n',
	'\r\n. \r\n',
];

const smuggled = 'MAIL FROM:<evil@example.test>\r\nRCPT TO:<victim@tinbox.test>\r\nDATA\r\nSubject: evil\r\n\r\nevil';

/** Sends the data of one mail in two segments and gives what was stored. */
async function stored({port, mails}: Running, data: string, splitAt: number): Promise<unknown> {
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send(data.slice(0, splitAt));
	await client.flushed();
	client.send(data.slice(splitAt));
	expect(await client.reply()).toBe('250 2.6.0 Stored');
	expect(await client.say('QUIT')).toBe('221 2.0.0 Bye');
	return mails.splice(0).map(({source}) => source);
}

describe.each(falseEndings.map(ending => ({ending, shown: JSON.stringify(ending)})))('$shown', ({ending}) => {
	test('does not end a mail, wherever the segments are cut', async () => {
		const running = await startServer();
		const mail = `Subject: x\r\n\r\nhello${ending}${smuggled}\r\n`;
		const from = mail.indexOf('hello') + 4;
		for (let splitAt = from; splitAt <= from + ending.length + 2; splitAt++) {
			expect(await stored(running, `${mail}.\r\n`, splitAt), `cut at ${splitAt}`).toEqual([mail]);
		}
	});
});

test.each(['..\r\n', '..', '.', '...\r\n'])('a first segment of %j does not end a mail', async first => {
	const running = await startServer();
	const rest = `${first.endsWith('\n') ? '' : '.x\r\n'}${smuggled}\r\n`;
	const sent = `${first}${rest}`;
	for (let splitAt = 0; splitAt <= first.length + 3; splitAt++) {
		expect(await stored(running, `${sent}.\r\n`, splitAt), `cut at ${splitAt}`).toEqual([sent.slice(1)]);
	}
});

test('a mail is stored whole, wherever the segments are cut around its end', async () => {
	const running = await startServer();
	const mail = 'Subject: x\r\n\r\n..a\r\n..\r\nend\r\n';
	for (let splitAt = 0; splitAt <= mail.length + 3; splitAt++) {
		expect(await stored(running, `${mail}.\r\n`, splitAt)).toEqual(['Subject: x\r\n\r\n.a\r\n.\r\nend\r\n']);
	}
});
