import type {SendProvider} from '../../../../src/contract/constants.js';
import type {Api, WireRequest} from './requests.js';

/** Something that is wrong with a request, which no SDK sends, or not with one call. */
export type RawTrouble = {
	/** First column of the table in docs/reference/sending-errors.md. */
	readonly cause: string;
	/** The request with which it comes about, made of that of a plain mail; undefined where an API knows no such thing. */
	readonly request: (plain: WireRequest, api: Api) => WireRequest | undefined;
	/** A request before it, which is answered with success. */
	readonly before?: (plain: WireRequest) => WireRequest;
};

const isForm = ({body}: WireRequest) => typeof body === 'string';

const withBody = (plain: WireRequest, body: unknown): WireRequest => ({...plain, body});

const withHeader = (plain: WireRequest, name: string, value: string): WireRequest => ({
	...plain,
	headers: {...plain.headers, [name]: value},
});

const fields = ({body}: WireRequest) => body as Readonly<Record<string, unknown>>;

/** Where an API has it, a subject that is a number. */
const wrongType: Partial<Readonly<Record<SendProvider, (plain: WireRequest) => object>>> = {
	resend: plain => ({...fields(plain), subject: 7}),
	ses: plain => ({...fields(plain), Content: {Simple: {Subject: 7, Body: {Text: {Data: 'Thank you.'}}}}}),
	sendgrid: plain => ({...fields(plain), subject: 7}),
	postmark: plain => ({...fields(plain), Subject: 7}),
	tinbox: plain => ({...fields(plain), subject: 7}),
};

/** To whom each mail of a batch is. */
type Recipients = ReadonlyArray<readonly string[]>;

/** Where an API has one, a batch of mails. */
const batches: Partial<Readonly<Record<SendProvider, (plain: WireRequest, recipients: Recipients) => WireRequest>>> = {
	resend: (plain, recipients) => ({
		...plain,
		path: '/emails/batch',
		body: recipients.map(to => ({...fields(plain), to})),
	}),
	ses: (plain, recipients) => ({
		...plain,
		path: '/v2/email/outbound-bulk-emails',
		body: {
			FromEmailAddress: fields(plain)['FromEmailAddress'],
			DefaultContent: {Template: {TemplateName: 'order', TemplateData: '{}'}},
			BulkEmailEntries: recipients.map(to => ({Destination: {ToAddresses: to}})),
		},
	}),
	postmark: (plain, recipients) => ({
		...plain,
		path: '/email/batch',
		body: recipients.map(to => ({...fields(plain), To: to.join()})),
	}),
};

/** One more than its batches take. */
const tooMany: Partial<Readonly<Record<SendProvider, number>>> = {resend: 101, ses: 51, postmark: 501};

const ann = ['ann@example.org'];

const hasKey = ({provider}: Api) => provider === 'resend' || provider === 'tinbox';

export const rawTroubles: readonly RawTrouble[] = [
	{
		cause: 'missing key',
		request: plain => ({...plain, headers: {'Content-Type': plain.headers['Content-Type'] ?? ''}}),
	},
	{
		cause: 'field of the wrong type',
		request: (plain, {provider}) => (isForm(plain) ? undefined : withBody(plain, wrongType[provider]?.(plain))),
	},
	{
		cause: 'invalid JSON',
		request: plain => (isForm(plain) ? undefined : withBody(plain, '{"subject": ')),
	},
	{
		cause: 'invalid form data',
		request: (plain, {provider}) =>
			provider === 'mailgun'
				? withBody(withHeader(plain, 'Content-Type', 'multipart/form-data; boundary=a'), '--a\r\nfrom')
				: undefined,
	},
	{cause: 'unsupported content type', request: plain => withHeader(plain, 'Content-Type', 'text/plain')},
	{cause: 'unknown path', request: plain => ({...plain, path: `${plain.path}/no/where`})},
	{cause: 'unsupported method', request: plain => ({...plain, method: 'PATCH'})},
	{
		cause: 'idempotency key reused for another mail',
		before: plain => withHeader(plain, 'Idempotency-Key', 'a'),
		request: (plain, api) =>
			hasKey(api)
				? withHeader(withBody(plain, {...fields(plain), subject: 'Another'}), 'Idempotency-Key', 'a')
				: undefined,
	},
	{
		cause: 'batch too long',
		request: (plain, {provider}) =>
			isForm(plain) ? undefined : batches[provider]?.(plain, Array<string[]>(tooMany[provider] ?? 0).fill(ann)),
	},
	{
		cause: 'batch with a mail without recipients',
		request: (plain, {provider}) => (isForm(plain) ? undefined : batches[provider]?.(plain, [ann, []])),
	},
	{
		cause: 'unknown mail id',
		request: (plain, {provider}) =>
			provider === 'resend'
				? {...plain, method: 'GET', path: '/emails/00000000-0000-4000-8000-000000000000', body: undefined}
				: undefined,
	},
];
