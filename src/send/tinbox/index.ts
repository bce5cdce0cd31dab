import {v7 as createId} from 'uuid';
import type {SendMailBody} from '../../contract/send.js';
import {AppError} from '../../domain/errors.js';
import {checkInput} from '../../domain/input.js';
import {readJson} from '../json.js';
import {type Provider, SendError, type SendRequest, type SentMail} from '../provider.js';
import {invalidInput, problem} from './problem.js';
import {sendMailSchema} from './schema.js';

/** Our own API for sending mail: `POST /v1/send`. */
export const tinbox: Provider = {
	name: 'tinbox',
	maxBytes: 40 * 1024 * 1024,
	routes: [
		{
			method: 'POST',
			path: '/send',
			types: ['application/json'],
			read: request => [readMail(request)],
			answer: (_mails, _request, outcomes) => {
				const [outcome] = outcomes.filter(one => 'mail' in one);
				const body = {id: outcome?.mail.id ?? '', message_ids: outcome?.messageIds ?? []} satisfies SendMailBody;
				return {status: 201, body};
			},
		},
	],
	keyOf({headers}) {
		const [, token] = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
		return token ?? headers['x-api-key'];
	},
	idempotencyKeyOf: ({headers}) => headers['idempotency-key'],
	problem,
};

function readMail({body}: SendRequest): SentMail {
	const {from, to, cc, bcc, reply_to, subject, text, html, template, ...given} = inputIn(body);
	const id = createId();
	const tags = given.tags.map(value => ({name: null, value}));
	const attachments = given.attachments.map(({filename, content, content_type, content_id}) => ({
		filename,
		content,
		contentType: content_type,
		contentId: content_id,
		disposition: content_id === '' ? ('attachment' as const) : ('inline' as const),
	}));
	return {
		envelope: {from: from.address, to: [...to, ...cc, ...bcc].map(({address}) => address)},
		content: {
			from,
			to,
			cc,
			replyTo: reply_to,
			subject,
			text,
			html,
			amp: undefined,
			attachments,
			headers: Object.entries(given.headers),
			messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
			date: undefined,
		},
		tags,
		metadata: given.metadata,
		template,
		warnings: [],
		id,
	};
}

function inputIn(body: Buffer) {
	try {
		return checkInput(sendMailSchema, body.length === 0 ? {} : readJson(body));
	} catch (error) {
		throw error instanceof AppError ? new SendError(invalidInput(error)) : error;
	}
}
