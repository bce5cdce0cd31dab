import fc from 'fast-check';
import {expect, test} from 'vitest';
import {RawClient, startServer} from './test-server.js';

/** Mails of dots and line ends. */
const mails = fc
	.array(fc.constantFrom('\r', '\n', '.', 'x', '\r\n', '\r\n.', '\n.'), {maxLength: 12})
	.map(parts => `${parts.join('')}\r\n`);

test('dot-stuffing is removed from a mail in any TCP segments', async () => {
	const {port, mails: stored} = await startServer();
	const client = await RawClient.open(port);
	await fc.assert(
		fc.asyncProperty(mails, fc.array(fc.nat(30), {maxLength: 4}), async (mail, cuts) => {
			// RFC 5321, section 4.5.2: after CRLF, not after a bare line feed.
			const sent = `${mail.replace(/(^|\r\n)\./g, '$1..')}.\r\n`;
			await client.beginMail();
			let from = 0;
			for (const cut of cuts.sort((a, b) => a - b)) {
				client.send(sent.slice(from, cut));
				await client.flush();
				from = cut;
			}

			client.send(sent.slice(Math.min(from, sent.length)));
			expect(await client.reply()).toBe('250 2.6.0 Stored');
			expect(stored.splice(0).map(({source}) => source)).toEqual([mail]);
		}),
		{numRuns: 300},
	);
});

test('commands after the end of a mail in the same TCP segment are processed', async () => {
	const {port, mails: stored} = await startServer();
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send(`..one\n..two\r\n.\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\n`);
	for (const code of ['250', '250', '250', '354']) {
		expect(await client.reply()).toMatch(new RegExp(`^${code} `));
	}

	expect(await client.say('.')).toBe('250 2.6.0 Stored');
	expect(stored.map(({source}) => source)).toEqual(['.one\n..two\r\n', '']);
});
