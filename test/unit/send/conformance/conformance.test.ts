import {readFile} from 'node:fs/promises';
import {SESv2Client, SendEmailCommand} from '@aws-sdk/client-sesv2';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Person, Tinbox} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';
import {mails} from './requested-mails.js';
import {expressible} from './sdk-limits.js';
import {sdks} from './sdks.js';
import {expectedMessage, normalizedMessage} from './stored-mail.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

describe.each(sdks)('a message sent with $name equals the request:', ({provider, limits, send}) => {
	test.each(mails)('$title', async mail => {
		const mailbox = await openMailbox(tinbox, ann);
		const requested = expressible(mail, limits);
		await send(requested, mailbox.account(provider));
		const [message, ...others] = await mailbox.messages();
		expect(others).toEqual([]);
		expect(message && (await normalizedMessage(message, mailbox.readerOf(message), requested))).toEqual(
			expectedMessage(requested),
		);
	});
});

test.each(sdks)('the documentation lists the fields that $name cannot express', async ({name, limits}) => {
	const docs = await readFile(new URL('../../../../docs/reference/sending-errors.md', import.meta.url), 'utf8');
	expect(docs).toContain(`| \`${name}\` | ${limits.map(({feature}) => feature).join(', ')} |`);
});

test('a raw mail with bare line feeds is stored with CRLF line ends', async () => {
	const mailbox = await openMailbox(tinbox, ann);
	const {url, key} = mailbox.account('ses');
	const credentials = {accessKeyId: key, secretAccessKey: 'not-looked-at'};
	const Data = Buffer.from('From: shop@shop.example\nTo: ann@example.org\nSubject: Hi\r\n\nOne\nTwo\n');
	await new SESv2Client({endpoint: url, region: 'eu-west-1', credentials}).send(
		new SendEmailCommand({Content: {Raw: {Data}}}),
	);
	expect(await mailbox.messages()).toMatchObject([
		{subject: 'Hi', text: expect.stringMatching(/^One\r?\nTwo/), warnings: []},
	]);
});
