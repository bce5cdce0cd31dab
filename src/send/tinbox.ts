import {STATUS_CODES} from 'node:http';
import {v7 as createId} from 'uuid';
import {z} from 'zod';
import type {ProblemBody} from '../contract/common.js';
import {problemType} from '../contract/constants.js';
import type {SendMailBody} from '../contract/send.js';
import {AppError} from '../domain/errors.js';
import {checkInput} from '../domain/input.js';
import {SendError} from '../domain/mail/sending.js';
import {formatSize} from '../lib/text/units.js';
import {readJson} from './json.js';
import {isHeader, isTakenHeader, readNamedAddress} from './mail-fields.js';
import {
	type Answer,
	answerFailure,
	type FailureAnswers,
	type Provider,
	type SendRequest,
	type SentMail,
} from './provider.js';

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

/** Answers to failed requests: problem details (RFC 9457), as everywhere in `/v1`. */
const answers: FailureAnswers<Answer> = {
	invalid: ({message, errors}) => answerProblem(400, 'invalid_input', message, {}, errors as ProblemBody['errors']),
	no_key: () =>
		answerProblem(401, 'unauthorized', 'The API key is missing. Send it in the header "Authorization: Bearer <key>".'),
	wrong_key: () => answerProblem(401, 'unauthorized', 'The API key is invalid: it belongs to no inbox.'),
	no_route: ({detail}) => answerProblem(404, 'not_found', detail),
	no_method: ({detail, allow}) => answerProblem(405, 'method_not_allowed', detail, {Allow: allow}),
	not_found_mail: () => answerProblem(404, 'not_found', 'Mail not found.'),
	media_type: ({types}) => answerProblem(415, 'unsupported_media_type', `Send the body as ${types.join(' or ')}.`),
	malformed: ({detail}) => answerProblem(400, 'malformed', detail),
	too_large: ({maxBytes}) =>
		answerProblem(413, 'too_large', `The mail exceeds the maximum of ${formatSize(maxBytes)}. Send a smaller one.`),
	rate_limited: ({retryAfter}) =>
		answerProblem(429, 'rate_limited', `Rate limit exceeded. Try again in ${retryAfter} s.`, {
			'Retry-After': String(retryAfter),
		}),
	refused: ({detail}) => answerProblem(403, 'forbidden', `The mail was rejected: ${detail}`),
	unverified_sender: ({address}) =>
		answerProblem(403, 'forbidden', `Mail from ${address} is not accepted: its domain is not verified.`),
	key_reused: () => answerProblem(409, 'key_reused', 'The idempotency key was already used for a different request.'),
	in_progress: () =>
		answerProblem(409, 'in_progress', 'A request with this idempotency key is in progress. Try again.'),
	unavailable: () => answerProblem(503, 'unavailable', 'Mail cannot be stored at the moment. Try again later.'),
	storage_full: () => answerProblem(507, 'storage_full', 'The mail cannot be stored: the storage is full.'),
	internal: () => answerProblem(500, 'internal', 'Internal error. See the log of the daemon.'),
};

function answerProblem(
	status: number,
	code: string,
	detail: string,
	headers: Readonly<Record<string, string>> = {},
	errors?: ProblemBody['errors'],
): Answer {
	const title = STATUS_CODES[status] ?? 'Error';
	const body: ProblemBody = {title, status, detail, code, ...(errors && {errors})};
	return {status, headers: {'Content-Type': problemType, ...headers}, body};
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
	problem: failure => answerFailure(answers, failure, undefined),
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
			attachments,
			headers: Object.entries(given.headers),
			messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
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
		throw error instanceof AppError
			? new SendError({type: 'invalid', message: error.message, errors: error.details.errors ?? []})
			: error;
	}
}
