import {STATUS_CODES} from 'node:http';
import type {z} from 'zod';
import {problemSchema} from '../../contract/common.js';
import {problemType} from '../../contract/constants.js';
import {methodAndPath, type Operation, successStatus} from '../api/operation.js';
import {type ProblemCode, statusOf} from '../server/problems.js';
import type {JsonSchema, JsonSchemas} from './schemas.js';

type Header = {readonly description: string; readonly schema: JsonSchema};

type Content = Readonly<
	Record<
		string,
		{
			readonly schema: JsonSchema;
			/** Error codes. They are not part of the schema, because client generators would create a type for each response. */
			readonly 'x-codes'?: readonly ProblemCode[];
		}
	>
>;

export type OperationLink = {readonly operationId: string; readonly parameters: Readonly<Record<string, string>>};

export type ResponseObject = {
	readonly description: string;
	readonly headers?: Readonly<Record<string, Header>>;
	readonly content?: Content;
	readonly links?: Readonly<Record<string, OperationLink>>;
};

export type Reference = {readonly $ref: string};

/** Collects error responses, which operations share. */
export class Failures {
	readonly #named = new Map<string, ResponseObject>();
	readonly #problem: JsonSchema;

	constructor(schemas: JsonSchemas) {
		this.#problem = schemas.output(problemSchema);
	}

	/** Error responses of an operation by status. */
	of(operation: Operation): Readonly<Record<string, Reference>> {
		const isShown = operation.media?.isMissingShown === true;
		return Object.fromEntries(
			[...failuresOf(operation)].map(([status, codes]) => [
				status,
				this.#refer(status, codes, isShown && status === 404),
			]),
		);
	}

	named(): Readonly<Record<string, ResponseObject>> {
		return Object.fromEntries(this.#named);
	}

	#refer(status: number, codes: readonly ProblemCode[], isShown: boolean): Reference {
		const name = [status, ...codes, ...(isShown ? ['page'] : [])].join('.');
		this.#named.set(name, {
			description: `${STATUS_CODES[status]}: ${codes.map(code => `\`${code}\``).join(', ')}`,
			...headersOf(status),
			content: {
				[problemType]: {schema: this.#problem, 'x-codes': codes},
				...(isShown && {'text/html': {schema: {type: 'string'}}}),
			},
		});
		return {$ref: `#/components/responses/${name}`};
	}
}

const challenge: Header = {
	description: 'Accepted authentication schemes (RFC 9110, section 11.6.1).',
	schema: {type: 'string'},
};
const retryAfter: Header = {
	description: 'Seconds to wait before retrying; absent if unknown.',
	schema: {type: 'integer', format: 'int64'},
};

function headersOf(status: number): Pick<ResponseObject, 'headers'> {
	switch (status) {
		case 401:
			return {headers: {'WWW-Authenticate': challenge}};
		case 429:
		case 503:
			return {headers: {'Retry-After': retryAfter}};
		default:
			return {};
	}
}

const location: Header = {
	description: 'Path of the created resource.',
	schema: {type: 'string', format: 'uri-reference'},
};

/** Response to a successful request, by its status. */
export function successOf(
	operation: Operation,
	schemas: JsonSchemas,
	links: Readonly<Record<string, OperationLink>>,
): Readonly<Record<string, ResponseObject>> {
	const {response, media, locationParam, setsLocation = locationParam !== undefined} = operation;
	const status = successStatus(operation);
	const content: Content = {
		...(response && {'application/json': {schema: schemas.output(response)}}),
		...Object.fromEntries((media?.types ?? []).map(type => [type, {schema: mediaSchema(type, media?.event, schemas)}])),
	};
	return {
		[status]: {
			description: media?.description ?? `${STATUS_CODES[status]}.`,
			...(setsLocation && {headers: {Location: location}}),
			...(Object.keys(content).length > 0 && {content}),
			...(Object.keys(links).length > 0 && {links}),
		},
	};
}

/** Schema of binary data for client generators. */
export const bytes: JsonSchema = {type: 'string', format: 'binary'};

/** Schema of a response body by media type; for an event stream, the schema of an event. */
function mediaSchema(type: string, event: z.ZodType | undefined, schemas: JsonSchemas): JsonSchema {
	if (event) {
		const data = {type: 'string', contentMediaType: 'application/json', contentSchema: schemas.output(event)} as const;
		const text = {type: 'string'} as const;
		const properties = {id: text, event: text, data};
		return {type: 'object', title: 'ServerSentEvent', properties, required: ['id', 'event', 'data']};
	}

	return type === 'application/json' ? {type: 'object'} : type === 'text/html' ? {type: 'string'} : bytes;
}

/** Error codes of every operation. */
const ofAll: readonly ProblemCode[] = [
	'malformed',
	'foreign_origin',
	'timed_out',
	'expectation_failed',
	'foreign_host',
	'limit_reached',
	'header_too_large',
	'internal',
	'stopping',
	'unavailable',
];

/** Error codes of an operation by status, in ascending order. */
function failuresOf(operation: Operation): ReadonlyMap<number, readonly ProblemCode[]> {
	const {caller = 'key', query, body, upload, errors = []} = operation;
	const {method, path} = methodAndPath(operation);
	const codes: readonly ProblemCode[] = [
		...ofAll,
		...(query || body ? (['invalid_input'] as const) : []),
		...(body || upload ? (['too_large', 'unsupported_media_type'] as const) : []),
		...(caller === 'anybody' ? [] : (['unauthorized'] as const)),
		...(caller === 'local' ? (['forbidden'] as const) : []),
		...(path.includes('/:') ? (['not_found'] as const) : []),
		...(path.includes('/:messageId') ? (['ambiguous'] as const) : []),
		...(method === 'GET' ? [] : (['storage_full'] as const)),
		...errors,
	];
	const byStatus = new Map<number, readonly ProblemCode[]>();
	for (const code of [...new Set(codes)].sort((a, b) => statusOf[a] - statusOf[b])) {
		byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code]);
	}

	return byStatus;
}
