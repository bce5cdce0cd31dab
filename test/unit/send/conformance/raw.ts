import type {SendProvider} from '../../../../src/contract/constants.js';
import type {Account} from './sdks.js';

/** A request as bytes go over the wire, for what no SDK would send. */
export type RawRequest = {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** That of a small mail. */
	readonly body: object;
};

const people = {from: 'shop@shop.example', to: 'ann@example.org'};
const content = {subject: 'Your order', text: 'Thank you.', html: '<p>Thank you.</p>'};
const attachment = {filename: 'a.txt', content: 'AAAA'};

/** Those that take JSON. */
export const rawRequests: Readonly<Partial<Record<SendProvider, (key: string) => RawRequest>>> = {
	resend: key => ({
		path: '/emails',
		headers: {Authorization: `Bearer ${key}`},
		body: {
			...people,
			...content,
			cc: ['Bob <bob@example.org>'],
			reply_to: 'help@shop.example',
			headers: {'X-Order': '4711'},
			attachments: [{...attachment, content_type: 'text/plain', content_id: 'a'}],
			tags: [{name: 'a', value: 'b'}],
		},
	}),
	ses: key => ({
		path: '/v2/email/outbound-emails',
		headers: {
			Authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=00`,
		},
		body: {
			FromEmailAddress: people.from,
			Destination: {ToAddresses: [people.to], CcAddresses: ['Bob <bob@example.org>']},
			ReplyToAddresses: ['help@shop.example'],
			EmailTags: [{Name: 'a', Value: 'b'}],
			Content: {
				Simple: {
					Subject: {Data: content.subject, Charset: 'UTF-8'},
					Body: {Text: {Data: content.text}, Html: {Data: content.html}},
					Headers: [{Name: 'X-Order', Value: '4711'}],
					Attachments: [{FileName: 'a.txt', RawContent: 'AAAA', ContentType: 'text/plain'}],
				},
			},
		},
	}),
	sendgrid: key => ({
		path: '/v3/mail/send',
		headers: {Authorization: `Bearer ${key}`},
		body: {
			personalizations: [
				{to: [{email: people.to, name: 'Ann'}], cc: [{email: 'bob@example.org'}], custom_args: {a: 'b'}},
			],
			from: {email: people.from, name: 'Shop'},
			reply_to: {email: 'help@shop.example'},
			subject: content.subject,
			content: [
				{type: 'text/plain', value: content.text},
				{type: 'text/html', value: content.html},
			],
			attachments: [{...attachment, type: 'text/plain', disposition: 'inline', content_id: 'a'}],
			headers: {'X-Order': '4711'},
			categories: ['a'],
			send_at: 1,
		},
	}),
	postmark: key => ({
		path: '/email',
		headers: {'X-Postmark-Server-Token': key},
		body: {
			From: people.from,
			To: people.to,
			Cc: 'Bob <bob@example.org>',
			ReplyTo: 'help@shop.example',
			Subject: content.subject,
			TextBody: content.text,
			HtmlBody: content.html,
			Tag: 'a',
			Metadata: {a: 'b'},
			Headers: [{Name: 'X-Order', Value: '4711'}],
			Attachments: [{Name: 'a.txt', Content: 'AAAA', ContentType: 'text/plain', ContentID: 'cid:a'}],
			TrackOpens: true,
		},
	}),
};

/** Sends a body as it is, as JSON unless the headers say otherwise. */
export async function post({url}: Account, {path, headers}: RawRequest, body: string | Buffer): Promise<Response> {
	return fetch(url + path, {method: 'POST', headers: {'Content-Type': 'application/json', ...headers}, body});
}
