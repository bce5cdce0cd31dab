import {STATUS_CODES} from 'node:http';
import type {z} from 'zod';
import {problemSchema} from '../../contract/common.js';
import {problemType} from '../../contract/constants.js';
import {type Operation, successStatus} from '../operation.js';
import type {ProblemCode} from '../problem.js';
import {failuresOf} from './failures.js';
import type {JsonSchema} from './json-schema.js';
import type {JsonSchemas} from './json-schemas.js';

type Header = {readonly description: string; readonly schema: JsonSchema};

type Content = Readonly<
	Record<
		string,
		{
			readonly schema: JsonSchema;
			/** The codes of a failure, beside the schema: in it, each failure would be a type of its own to clients. */
			readonly 'x-codes'?: readonly ProblemCode[];
		}
	>
>;

export type OperationLink = {readonly operationId: string; readonly parameters: Readonly<Record<string, string>>};

export type Response = {
	readonly description: string;
	readonly headers?: Readonly<Record<string, Header>>;
	readonly content?: Content;
	readonly links?: Readonly<Record<string, OperationLink>>;
};

export type Reference = {readonly $ref: string};

/** Collects the answers to failures, which operations share. */
export class Failures {
	readonly #named = new Map<string, Response>();
	readonly #problem: JsonSchema;

	constructor(schemas: JsonSchemas) {
		this.#problem = schemas.given(problemSchema);
	}

	/** The failures of an operation, by status. */
	of(operation: Operation): Readonly<Record<string, Reference>> {
		const isShown = operation.media?.isMissingShown === true;
		return Object.fromEntries(
			[...failuresOf(operation)].map(([status, codes]) => [
				status,
				this.#refer(status, codes, isShown && status === 404),
			]),
		);
	}

	named(): Readonly<Record<string, Response>> {
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

function headersOf(status: number): Pick<Response, 'headers'> {
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
): Readonly<Record<string, Response>> {
	const {answer, media, created, isLocated = created !== undefined} = operation;
	const status = successStatus(operation);
	const content: Content = {
		...(answer && {'application/json': {schema: schemas.given(answer)}}),
		...Object.fromEntries((media?.types ?? []).map(type => [type, {schema: mediaSchema(type, media?.event, schemas)}])),
	};
	return {
		[status]: {
			description: media?.description ?? `${STATUS_CODES[status]}.`,
			...(isLocated && {headers: {Location: location}}),
			...(Object.keys(content).length > 0 && {content}),
			...(Object.keys(links).length > 0 && {links}),
		},
	};
}

/** As clients that are generated know bytes by. */
export const bytes: JsonSchema = {type: 'string', format: 'binary'};

/** Of an event stream it is the schema of each event, whose data is a text. */
function mediaSchema(type: string, event: z.ZodType | undefined, schemas: JsonSchemas): JsonSchema {
	if (event) {
		const data = {type: 'string', contentMediaType: 'application/json', contentSchema: schemas.given(event)} as const;
		const text = {type: 'string'} as const;
		const properties = {id: text, event: text, data};
		return {type: 'object', title: 'ServerSentEvent', properties, required: ['id', 'event', 'data']};
	}

	return type === 'application/json' ? {type: 'object'} : type === 'text/html' ? {type: 'string'} : bytes;
}
