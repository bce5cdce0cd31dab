import {readFile} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import type {SendProvider} from '../../../../src/contract/constants.js';
import type {CreateFault} from '../../../../src/contract/faults.js';
import {openTinbox, type TinboxOptions} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';
import {mails, type RequestedMail} from './requested-mails.js';
import {expressible} from './sdk-limits.js';
import {sdks} from './sdks.js';

/** A send call that fails. */
type ErrorCase = {
	/** First column of the table in docs/reference/sending-errors.md. */
	readonly cause: string;
	/** Fields that differ from a plain mail. */
	readonly mail?: Partial<RequestedMail>;
	/** True for an invalid API key. */
	readonly hasWrongKey?: boolean;
	readonly settings?: TinboxOptions['settings'];
	readonly fault?: CreateFault;
	/** Providers with this error; all by default. */
	readonly providers?: readonly SendProvider[];
};

const [plain] = mails;

const people = (count: number) =>
	Array.from({length: count}, (_, index) => ({name: '', address: `p${index}@example.org`}));

const fileNamed = (filename: string) => ({
	files: [{filename, contentType: 'application/octet-stream', content: 'AAAA', contentId: null}],
});

/** Rows of the tables in docs/reference/sending-errors.md, without the error of each SDK. */
const errorCases: readonly ErrorCase[] = [
	{cause: 'invalid key', hasWrongKey: true},
	{cause: 'missing sender', mail: {from: {name: '', address: ''}}},
	{cause: 'invalid sender address', mail: {from: {name: '', address: 'shop'}}},
	{cause: 'missing recipient', mail: {to: []}},
	{cause: 'invalid recipient address', mail: {to: [{name: '', address: 'ann at example.org'}]}},
	{cause: 'invalid cc address', mail: {cc: [{name: '', address: '@example.org'}]}},
	{cause: 'missing subject', mail: {subject: ''}},
	{cause: 'neither text nor HTML body', mail: {text: null}},
	{cause: 'more than 50 recipients', mail: {to: people(51)}, providers: ['resend', 'ses', 'postmark']},
	{cause: 'more than 1,000 recipients', mail: {to: people(1001)}, providers: ['sendgrid', 'mailgun']},
	{cause: 'line break in a header value', mail: {headers: {'X-Note': 'one\r\nBcc: two@example.org'}}},
	{cause: 'invalid header name', mail: {headers: {'X Note:': 'one'}}},
	{cause: 'invalid characters in a tag', mail: {tags: [{name: 'a b', value: 'ä!'}]}, providers: ['resend', 'ses']},
	{
		cause: 'more than 10 tags',
		mail: {tags: Array.from({length: 11}, (_, index) => ({name: `t${index}`, value: `v${index}`}))},
		providers: ['sendgrid', 'mailgun'],
	},
	{cause: 'forbidden attachment type', mail: fileNamed('run.exe'), providers: ['resend', 'postmark']},
	{
		cause: 'too much metadata',
		mail: {metadata: {'a-name-longer-than-twenty': 'x'.repeat(20_000)}},
		providers: ['sendgrid', 'postmark', 'mailgun'],
	},
	{
		cause: 'unverified sender domain (`--send-verified-domains`)',
		settings: {sendVerifiedDomains: ['verified.example']},
	},
	{
		cause: 'mail too large (`--max-message-size`)',
		mail: {text: 'x'.repeat(50_000)},
		settings: {maxMessageSize: 40_000},
	},
	{cause: 'fault with a 4xx reply (rate limit)', fault: {stage: 'rcpt', reply: '450 4.7.1 Slow down'}},
	{cause: 'fault with a 5xx reply to a recipient', fault: {stage: 'rcpt', reply: '550 5.1.1 No such user'}},
	{cause: 'fault with a 5xx reply to the mail', fault: {stage: 'end', reply: '554 5.7.1 Looks like spam'}},
	{
		cause: 'fault with the reply 452 (disk full)',
		fault: {stage: 'end', reply: '452 4.3.1 Insufficient system storage'},
	},
];

/** The mail of an error case. */
function mailOf({mail}: ErrorCase): RequestedMail {
	if (!plain) {
		throw new Error('There are no mails.');
	}

	return {...plain, ...mail};
}

/** Formats an error of an SDK on one line, without times. */
function raised(error: unknown): string {
	const {name, message, status, statusCode, code, details, response, $metadata} = error as Readonly<
		Record<string, unknown>
	> & {
		readonly response?: {
			readonly body?: {readonly errors?: ReadonlyArray<{readonly message: string; readonly field?: string | null}>};
		};
		readonly $metadata?: {readonly httpStatusCode?: number};
	};
	if (response?.body?.errors) {
		const errors = response.body.errors.map(({message, field}) => `${message}${field == null ? '' : ` (${field})`}`);
		return `ResponseError ${code}: ${errors.join('; ')}`;
	}

	const number = $metadata?.httpStatusCode ?? statusCode ?? status ?? '';
	const more = typeof code === 'number' && code > 0 ? `, ${code}` : '';
	const text = String(details ?? message).replace(/\w{3}, \d\d \w{3} \d{4} [\d:]+ UTC/, '…');
	return `${name}${number === '' ? '' : ` ${number}${more}`}: ${text}`;
}

const docs = await readFile(new URL('../../../../docs/reference/sending-errors.md', import.meta.url), 'utf8');

describe.each(sdks)('the SDK $name', sdk => {
	const {provider, limits} = sdk;
	test.each(errorCases.filter(({providers}) => providers?.includes(provider) ?? true))(
		'raises the documented error for: $cause',
		async errorCase => {
			const tinbox = await openTinbox(errorCase.settings ? {settings: errorCase.settings} : {});
			const ann = await tinbox.user('ann');
			const mailbox = await openMailbox(tinbox, ann);
			if (errorCase.fault) {
				await tinbox.request('POST', `/inboxes/${mailbox.inbox.id}/faults`, {key: ann.key, body: errorCase.fault});
			}

			const account = mailbox.account(provider);
			const key = errorCase.hasWrongKey ? account.key.replace(/.$/, last => (last === 'x' ? 'y' : 'x')) : account.key;
			const error = await sdk
				.send(expressible(mailOf(errorCase), limits), {...account, key})
				.then(() => 'no error: the mail is sent', raised);
			expect(docs).toContain(`| ${errorCase.cause} | \`\`${error}\`\` |`);
			const isStored = (await mailbox.summaries()).length > 0;
			expect(isStored).toBe(error === 'no error: the mail is sent');
		},
	);
});
