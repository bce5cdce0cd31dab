import {STATUS_CODES} from 'node:http';
import {v7 as createId} from 'uuid';
import {z} from 'zod';
import type {ProblemBody} from '../contract/common.js';
import {problemType} from '../contract/constants.js';
import type {SendMailBody} from '../contract/send.js';
import {AppError} from '../domain/errors.js';
import {checkInput} from '../domain/input.js';
import {Unsent} from '../domain/mail/sending.js';
import {formatSize} from '../lib/text/units.js';
import {readJson} from './json.js';
import {isHeader, isTakenHeader, readNamedAddress} from './mail-fields.js';
import type {Answer, Provider, SendFailure, SendRequest, SentMail} from './provider.js';

/** Maximum number of recipients in `to`, `cc` and `bcc` together. */
export const maxRecipients = 1000;

const noMailbox = 'must be an address such as "ann@example.com" or "Ann <ann@example.com>"';

const mailbox = z.string().transform((text, check) => {
	const read = readNamedAddress(text);
	if (!read) {
		check.addIssue({code: 'custom', message: noMailbox});
		return z.NEVER;
	}

	return read;
});

/** One mailbox or several. Reports each invalid one. */
const mailboxes = z
	.union([z.array(z.string()).max(maxRecipients), z.string()])
	.meta({id: 'SendMailRecipients'})
	.transform((given, check) =>
		[given].flat().flatMap((text, index) => {
			const read = readNamedAddress(text);
			if (!read) {
				check.addIssue({code: 'custom', path: Array.isArray(given) ? [index] : [], message: noMailbox});
			}

			return read ?? [];
		}),
	)
	.optional()
	.transform(list => list ?? []);

/** Base64. The pattern is portable, as clients in all languages read it. */
const content = z.string().regex(/^[A-Za-z0-9+/ \t\r\n]*={0,2}[ \t\r\n]*$/, 'must be base64');

const attachment = z
	.strictObject({
		filename: z.string().min(1).max(255).describe('File name.'),
		content: content.transform(text => Buffer.from(text, 'base64')).describe('Content in base64.'),
		content_type: z.string().max(255).default('').describe('Media type (default: guessed from the file name).'),
		content_id: z
			.string()
			.max(255)
			.default('')
			.describe('Content-ID that the HTML refers to as `cid:`; makes the attachment inline.'),
	})
	.meta({id: 'SendMailAttachment'});

const headers = z.record(z.string(), z.string()).superRefine((all, check) => {
	for (const [name, value] of Object.entries(all)) {
		if (isTakenHeader(name)) {
			check.addIssue({code: 'custom', path: [name], message: 'is set by other fields'});
		} else if (!isHeader(name, value)) {
			check.addIssue({code: 'custom', path: [name], message: 'must be a valid header field on one line'});
		}
	}
});

export const sendMailSchema = z
	.strictObject({
		from: mailbox.describe('Sender, as `ann@example.com` or `Ann <ann@example.com>`.'),
		to: mailboxes.describe('Recipients in the `To` header field: one address or several.'),
		cc: mailboxes.describe('Recipients in the `Cc` header field: one address or several.'),
		bcc: mailboxes.describe('Recipients that are only in the envelope: one address or several.'),
		reply_to: mailboxes.describe('Addresses in the `Reply-To` header field: one or several.'),
		subject: z.string().max(10_000).default('').describe('Subject.'),
		text: z.string().optional().describe('Plain text.'),
		html: z.string().optional().describe('HTML.'),
		attachments: z.array(attachment).max(1000).default([]).describe('Attachments.'),
		headers: headers.default({}).describe('Additional header fields by name.'),
		tags: z
			.array(z.string().max(1000))
			.max(100)
			.default([])
			.describe('Tags, stored with the message in `session.request`.'),
		metadata: z
			.record(z.string().max(1000), z.string().max(1000))
			.default({})
			.describe('Custom values by name, stored with the message in `session.request`.'),
		template: z
			.strictObject({
				id: z.string().min(1).max(1000).describe('Id of the template.'),
				data: z.record(z.string(), z.unknown()).default({}).describe('Values of the variables.'),
			})
			.meta({id: 'SendMailTemplate'})
			.optional()
			.describe('Template that fills in the subject and bodies that are left out.'),
	})
	.superRefine(({to, cc, bcc}, check) => {
		const count = to.length + cc.length + bcc.length;
		if (count === 0) {
			check.addIssue({code: 'custom', path: ['to'], message: 'is required, unless "cc" or "bcc" has a recipient'});
		} else if (count > maxRecipients) {
			check.addIssue({
				code: 'custom',
				path: ['to'],
				message: `must have at most ${maxRecipients} recipients, including "cc" and "bcc"`,
			});
		}
	})
	.meta({id: 'SendMail'});

/** Answer to a failed request: problem details (RFC 9457), as everywhere in `/v1`. */
function problem(failure: SendFailure): Answer {
	switch (failure.type) {
		case 'invalid':
			return answerProblem(400, 'invalid_input', failure.message, failure.errors as ProblemBody['errors']);
		case 'no_key':
			return answerProblem(
				401,
				'unauthorized',
				'The API key is missing. Send it in the header "Authorization: Bearer <key>".',
			);
		case 'wrong_key':
			return answerProblem(401, 'unauthorized', 'The API key is invalid: it belongs to no inbox.');
		case 'no_route':
			return answerProblem(404, 'not_found', failure.detail);
		case 'no_method': {
			const answer = answerProblem(405, 'method_not_allowed', failure.detail);
			return {...answer, headers: {...answer.headers, Allow: failure.allow}};
		}
		case 'not_found_mail':
			return answerProblem(404, 'not_found', 'Mail not found.');
		case 'media_type':
			return answerProblem(415, 'unsupported_media_type', `Send the body as ${failure.types.join(' or ')}.`);
		case 'malformed':
			return answerProblem(400, 'malformed', failure.detail);
		case 'too_large':
			return answerProblem(
				413,
				'too_large',
				`The mail exceeds the maximum of ${formatSize(failure.maxBytes)}. Send a smaller one.`,
			);
		case 'rate_limited': {
			const {retryAfter} = failure;
			const answer = answerProblem(429, 'rate_limited', `Rate limit exceeded. Try again in ${retryAfter} s.`);
			return {...answer, headers: {...answer.headers, 'Retry-After': String(retryAfter)}};
		}
		case 'refused':
			return answerProblem(403, 'forbidden', `The mail was rejected: ${failure.detail}`);
		case 'unverified_sender':
			return answerProblem(
				403,
				'forbidden',
				`Mail from ${failure.address} is not accepted: its domain is not verified.`,
			);
		case 'key_reused':
			return answerProblem(409, 'key_reused', 'The idempotency key was already used for a different request.');
		case 'in_progress':
			return answerProblem(409, 'in_progress', 'A request with this idempotency key is in progress. Try again.');
		case 'unavailable':
			return answerProblem(503, 'unavailable', 'Mail cannot be stored at the moment. Try again later.');
		case 'storage_full':
			return answerProblem(507, 'storage_full', 'The mail cannot be stored: the storage is full.');
		case 'internal':
			return answerProblem(500, 'internal', 'Internal error. See the log of the daemon.');
	}
}

function invalidInput({message, details: {errors = []}}: AppError): Unsent {
	return new Unsent({type: 'invalid', message, errors});
}

function answerProblem(status: number, code: string, detail: string, errors?: ProblemBody['errors']): Answer {
	const title = STATUS_CODES[status] ?? 'Error';
	const body: ProblemBody = {title, status, detail, code, ...(errors && {errors})};
	return {status, headers: {'Content-Type': problemType}, body};
}

/** Sending API of tinbox: `POST /v1/send`. */
export const tinbox: Provider = {
	name: 'tinbox',
	maxBytes: 40 * 1024 * 1024,
	routes: [
		{
			method: 'POST',
			path: '/send',
			types: ['application/json'],
			read: request => [readMail(request)],
			answer: outcomes => {
				const [outcome] = outcomes.filter(one => 'id' in one);
				const body = {id: outcome?.id ?? '', message_ids: outcome?.messageIds ?? []} satisfies SendMailBody;
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
		throw error instanceof AppError ? invalidInput(error) : error;
	}
}
