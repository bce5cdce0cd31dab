import type {CreateFault} from '../../../src/contract/faults.js';
import type {SendProvider} from '../../../src/contract/send.js';
import type {TinboxOptions} from '../../helpers/tinbox.js';
import {type AskedMail, mails} from './mails.js';

/** Something that goes wrong, as an application has it happen. */
export type Trouble = {
	/** As docs/sending.md says it. */
	readonly cause: string;
	/** What of a plain mail is different. */
	readonly mail?: Partial<AskedMail>;
	/** That of an inbox that is not there; else the right one. */
	readonly hasWrongKey?: boolean;
	readonly settings?: TinboxOptions['settings'];
	readonly fault?: CreateFault;
	/** Where it can happen; with all of them unless it says. */
	readonly providers?: readonly SendProvider[];
};

const [plain] = mails;

const people = (count: number) =>
	Array.from({length: count}, (_, index) => ({name: '', address: `p${index}@example.org`}));

const fileNamed = (filename: string) => ({
	files: [{filename, contentType: 'application/octet-stream', content: 'AAAA', contentId: null}],
});

/** The table of docs/sending.md, without what each SDK raises. */
export const troubles: readonly Trouble[] = [
	{cause: 'a wrong key', hasWrongKey: true},
	{cause: 'no sender', mail: {from: {name: '', address: ''}}},
	{cause: 'a sender that is no address', mail: {from: {name: '', address: 'shop'}}},
	{cause: 'no recipient', mail: {to: []}},
	{cause: 'a recipient that is no address', mail: {to: [{name: '', address: 'ann at example.org'}]}},
	{cause: 'a copy to what is no address', mail: {cc: [{name: '', address: '@example.org'}]}},
	{cause: 'no subject', mail: {subject: ''}},
	{cause: 'neither text nor HTML', mail: {text: null}},
	{cause: 'more than 50 recipients', mail: {to: people(51)}, providers: ['resend', 'ses', 'postmark']},
	{cause: 'more than 1,000 recipients', mail: {to: people(1001)}, providers: ['sendgrid', 'mailgun']},
	{cause: 'a header of two lines', mail: {headers: {'X-Note': 'one\r\nBcc: two@example.org'}}},
	{cause: 'a header that is no name', mail: {headers: {'X Note:': 'one'}}},
	{cause: 'a tag with signs', mail: {tags: [{name: 'a b', value: 'ä!'}]}, providers: ['resend', 'ses']},
	{
		cause: 'eleven tags',
		mail: {tags: Array.from({length: 11}, (_, index) => ({name: `t${index}`, value: `v${index}`}))},
		providers: ['sendgrid', 'mailgun'],
	},
	{cause: 'a file of a forbidden kind', mail: fileNamed('run.exe'), providers: ['resend', 'postmark']},
	{
		cause: 'too much metadata',
		mail: {metadata: {'a-name-longer-than-twenty': 'x'.repeat(20_000)}},
		providers: ['sendgrid', 'postmark', 'mailgun'],
	},
	{
		cause: 'a sender of no verified domain (`--send-verified-domains`)',
		settings: {sendVerifiedDomains: ['verified.example']},
	},
	{
		cause: 'a mail that is too large (`--max-message-size`)',
		mail: {text: 'x'.repeat(50_000)},
		settings: {maxMessageSize: 40_000},
	},
	{cause: 'a fault that says 4xx (a rate limit)', fault: {stage: 'rcpt', reply: '450 4.7.1 Slow down'}},
	{cause: 'a fault that says 5xx to a recipient', fault: {stage: 'rcpt', reply: '550 5.1.1 No such user'}},
	{cause: 'a fault that says 5xx to a mail', fault: {stage: 'end', reply: '554 5.7.1 Looks like spam'}},
	{
		cause: 'a fault that says that the disk is full',
		fault: {stage: 'end', reply: '452 4.3.1 Insufficient system storage'},
	},
];

/** The mail of a trouble. */
export function mailOf({mail}: Trouble): AskedMail {
	if (!plain) {
		throw new Error('There are no mails.');
	}

	return {...plain, ...mail};
}

/** What an SDK raises, on one line. Times are left out. */
export function raised(error: unknown): string {
	const {name, message, status, statusCode, code, details, response, $metadata} = error as Readonly<
		Record<string, unknown>
	> & {
		readonly response?: {
			readonly body?: {readonly errors?: ReadonlyArray<{readonly message: string; readonly field?: string | null}>};
		};
		readonly $metadata?: {readonly httpStatusCode?: number};
	};
	if (response?.body?.errors) {
		const said = response.body.errors.map(({message, field}) => `${message}${field == null ? '' : ` (${field})`}`);
		return `ResponseError ${code}: ${said.join('; ')}`;
	}

	const number = $metadata?.httpStatusCode ?? statusCode ?? status ?? '';
	const more = typeof code === 'number' && code > 0 ? `, ${code}` : '';
	const text = String(details ?? message).replace(/\w{3}, \d\d \w{3} \d{4} [\d:]+ UTC/, '…');
	return `${name}${number === '' ? '' : ` ${number}${more}`}: ${text}`;
}
