import {randomUUID} from 'node:crypto';
import type {z} from 'zod';
import {SendError} from '../../domain/mail/sending.js';
import {validate} from '../json.js';
import {type Answer, answerFailure, type FailureAnswers, type SendFailure, type SendRequest} from '../provider.js';
import {element, regionOf, textElement} from './protocol.js';

/** Query protocol (XML) of API version 1, or JSON of version 2. */
export type SesProtocol = 'v1' | 'v2';

type Names = {readonly status: number; readonly v1: string; readonly v2: string; readonly entry: keyof typeof statuses};

/** Status of an entry in the answer to a bulk request. */
const statuses = {
	success: {v1: 'Success', v2: 'SUCCESS'},
	invalid: {v1: 'InvalidParameterValue', v2: 'INVALID_PARAMETER'},
	rejected: {v1: 'MessageRejected', v2: 'MESSAGE_REJECTED'},
	unverified: {v1: 'MailFromDomainNotVerified', v2: 'MAIL_FROM_DOMAIN_NOT_VERIFIED'},
	throttled: {v1: 'AccountThrottled', v2: 'ACCOUNT_THROTTLED'},
	transient: {v1: 'TransientFailure', v2: 'TRANSIENT_FAILURE'},
	failed: {v1: 'Failed', v2: 'FAILED'},
} as const;

/** HTTP status and error names in both protocols. `entry` is the status in a bulk answer. */
const problems = {
	invalid: {status: 400, v1: 'InvalidParameterValue', v2: 'BadRequestException', entry: 'invalid'},
	constraint: {status: 400, v1: 'ValidationError', v2: 'BadRequestException', entry: 'invalid'},
	malformed: {status: 400, v1: 'MalformedInput', v2: 'SerializationException', entry: 'failed'},
	rejected: {status: 400, v1: 'MessageRejected', v2: 'MessageRejected', entry: 'rejected'},
	unverified: {status: 400, v1: 'MessageRejected', v2: 'MessageRejected', entry: 'unverified'},
	unsigned: {status: 403, v1: 'MissingAuthenticationToken', v2: 'MissingAuthenticationTokenException', entry: 'failed'},
	unknownKey: {status: 403, v1: 'InvalidClientTokenId', v2: 'UnrecognizedClientException', entry: 'failed'},
	throttled: {status: 429, v1: 'Throttling', v2: 'TooManyRequestsException', entry: 'throttled'},
	noAction: {status: 400, v1: 'InvalidAction', v2: 'UnknownOperationException', entry: 'failed'},
	noRoute: {status: 404, v1: 'InvalidAction', v2: 'UnknownOperationException', entry: 'failed'},
	notFound: {status: 404, v1: 'NotFound', v2: 'NotFoundException', entry: 'failed'},
	mediaType: {status: 415, v1: 'UnsupportedMediaType', v2: 'UnsupportedMediaTypeException', entry: 'failed'},
	internal: {status: 500, v1: 'InternalFailure', v2: 'InternalFailure', entry: 'transient'},
	unavailable: {status: 503, v1: 'ServiceUnavailable', v2: 'ServiceUnavailableException', entry: 'transient'},
} as const satisfies Readonly<Record<string, Names>>;

type ProblemCode = keyof typeof problems;

/** Error of a request, or of an entry of a bulk request, independent of the protocol. */
export class SesProblem extends SendError {
	readonly code: ProblemCode;
	readonly detail: string;

	constructor(code: ProblemCode, detail: string) {
		super({type: 'invalid', code, message: detail});
		this.code = code;
		this.detail = detail;
	}
}

export function protocolOf({path}: Pick<SendRequest, 'path'>): SesProtocol {
	return path.startsWith('/v2') ? 'v2' : 'v1';
}

const problemsOf: FailureAnswers<SesProblem, Pick<SendRequest, 'headers' | 'query'>> = {
	invalid: ({code, message}) => new SesProblem(code as ProblemCode, message),
	no_key: () => new SesProblem('unsigned', 'Request is missing Authentication Token'),
	wrong_key: () => new SesProblem('unknownKey', 'The security token included in the request is invalid.'),
	unavailable: () => new SesProblem('unavailable', 'The service is unavailable. Please try again later.'),
	storage_full: () => new SesProblem('unavailable', 'The message cannot be stored: the storage is full.'),
	internal: () => new SesProblem('internal', 'The request processing has failed because of an unknown error.'),
	not_found_mail: () => new SesProblem('notFound', 'Message not found.'),
	no_route: ({detail}) => new SesProblem('noRoute', detail),
	no_method: ({detail}) => new SesProblem('noRoute', detail),
	media_type: ({types}) => new SesProblem('mediaType', `Send the body as ${types.join(' or ')}.`),
	malformed: ({detail}) => new SesProblem('malformed', detail),
	too_large: ({maxBytes}) => tooLong(maxBytes),
	rate_limited: () => new SesProblem('throttled', 'Maximum sending rate exceeded.'),
	refused: ({detail}) => new SesProblem('rejected', detail),
	unverified_sender: ({address}, request) => unverifiedIdentity(address, regionOf(request)),
	key_reused: () => new SesProblem('invalid', 'SES does not support idempotency keys.'),
	in_progress: () => new SesProblem('invalid', 'SES does not support idempotency keys.'),
};

/**
 * Problem of SES for a failed request. SDKs retry throttled requests and 5xx up to three times; SES never sends `Retry-After`.
 */
export function sesProblem(failure: SendFailure, request: Pick<SendRequest, 'headers' | 'query'>): SesProblem {
	return answerFailure(problemsOf, failure, request);
}

export function unverifiedIdentity(address: string, region: string): SesProblem {
	return new SesProblem(
		'unverified',
		`Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${address}`,
	);
}

export function tooLong(maxBytes: number): SesProblem {
	return new SesProblem('invalid', `Message length is more than ${maxBytes} bytes long.`);
}

/** Answer to a failed request. */
export function sesProblemAnswer({code, detail}: SesProblem, protocol: SesProtocol): Answer {
	const requestId = randomUUID();
	const {status, [protocol]: name} = problems[code];
	if (protocol === 'v2') {
		return {status, headers: {'x-amzn-RequestId': requestId, 'x-amzn-ErrorType': name}, body: {message: detail}};
	}

	return xmlAnswer(
		// The query protocol of SES uses 400 for throttling.
		code === 'throttled' ? 400 : status,
		requestId,
		'ErrorResponse',
		element(
			'Error',
			textElement('Type', status < 500 ? 'Sender' : 'Receiver'),
			textElement('Code', name),
			textElement('Message', detail),
		),
		textElement('RequestId', requestId),
	);
}

/** Answer in the query protocol. */
export function xmlAnswer(status: number, requestId: string, root: string, ...children: readonly string[]): Answer {
	return {
		status,
		headers: {'x-amzn-RequestId': requestId, 'Content-Type': 'text/xml'},
		body: `<${root} xmlns="http://ses.amazonaws.com/doc/2010-12-01/">${children.join('')}</${root}>`,
	};
}

/** Status of an entry with this problem, or of a successful entry. */
export function entryStatus(problem: SesProblem | undefined, protocol: SesProtocol): string {
	return statuses[problem === undefined ? 'success' : problems[problem.code].entry][protocol];
}

/** Number of problems that an answer names, number of unknown fields in warnings, and characters shown of each value. */
const maxProblems = 20;
const maxUnknown = 20;
const maxShown = 100;

/** Validates the fields of a request. `unknown` has the names of fields that SES does not have. Throws a `constraint` problem. */
export function checkFields<Schema extends z.ZodType>(
	schema: Schema,
	input: unknown,
): {readonly fields: z.output<Schema>; readonly unknown: readonly string[]} {
	const {value, unknown} = validate(schema, input, describeConstraint, issues => {
		const count = `${issues.length} validation error${issues.length === 1 ? '' : 's'} detected`;
		const problems = issues.slice(0, maxProblems).map(({message}) => message);
		return new SesProblem('constraint', `${count}: ${problems.join('; ')}`);
	});
	return {fields: value, unknown: unknown.slice(0, maxUnknown).map(path => path.join('.').slice(0, maxShown))};
}

/** Describes a failed constraint as AWS services do. */
function describeConstraint(issue: z.core.$ZodRawIssue): string {
	const where = `at '${placeOf(issue.path ?? [])}' failed to satisfy constraint`;
	if (issue.input === undefined || issue.input === null) {
		return `Value null ${where}: Member must not be null`;
	}

	const shown = typeof issue.input === 'string' ? ` '${issue.input.slice(0, maxShown)}'` : '';
	return `Value${shown} ${where}: ${rule(issue)}`;
}

function rule(issue: z.core.$ZodRawIssue): string {
	switch (issue.code) {
		case 'too_small':
			return `Member must have length greater than or equal to ${issue.minimum}`;
		case 'too_big':
			return `Member must have length less than or equal to ${issue.maximum}`;
		case 'invalid_format':
			return `Member must satisfy regular expression pattern: ${issue.pattern ?? ''}`;
		case 'invalid_value':
			return `Member must satisfy enum value set: [${issue.values.join(', ')}]`;
		case 'invalid_type':
			return `Member must be of type ${issue.expected}`;
		default:
			return 'Member must be valid';
	}
}

/** `emailTags.1.member.name` */
function placeOf(path: readonly PropertyKey[]): string {
	const steps = path.map(step =>
		typeof step === 'number' ? `${step + 1}.member` : String(step).replace(/^[A-Z]/, letter => letter.toLowerCase()),
	);
	return steps.join('.').slice(0, maxShown);
}
