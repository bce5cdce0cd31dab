import {z} from 'zod';
import {sendProviders} from '../../contract/constants.js';
import {methodAndPath, type Operation} from '../operation.js';
import type {JsonSchema} from './json-schema.js';
import type {JsonSchemas} from './json-schemas.js';

export type Parameter = {
	readonly name: string;
	readonly in: 'path' | 'query' | 'header';
	readonly required: boolean;
	readonly description?: string;
	readonly schema: JsonSchema;
};

/** Descriptions of path parameters. */
const pathParameters: Readonly<Record<string, string>> = {
	inboxId: 'Id or address of the inbox.',
	messageId: 'Id of the message, or `latest` for the newest.',
	attachmentId: 'Id of the attachment in its message.',
	faultId: 'Id of the fault.',
	endpointId: 'Id of the webhook endpoint.',
	deliveryId: 'Id of the delivery.',
	provider: 'Provider whose API uses the template.',
	templateId: 'Id or name that the app uses for the template.',
	keyId: 'Id of the API key.',
	sessionId: 'Id of the web app session.',
	teamId: 'Id of the team.',
	userId: 'Id of the user.',
	token: 'Token of the preview: the last part of its link.',
};

/** Rules of path parameters, besides being non-empty. */
const pathRules: Readonly<Record<string, JsonSchema>> = {
	provider: {enum: [...sendProviders]},
	templateId: {minLength: 1, maxLength: 300, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$'},
};

/** The names of the parameters in a path. */
export function pathParameterNames(path: string): readonly string[] {
	return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** The parameters of an operation, in its path, its query and its headers. */
export function parametersOf(operation: Operation, schemas: JsonSchemas): readonly Parameter[] {
	return [
		...pathParameterNames(methodAndPath(operation).path).map(inPath),
		...(operation.query ? inQuery(operation.query, schemas) : []),
		...Object.entries(operation.headers ?? {}).map(([name, description]) => inHeader(name, description)),
	];
}

function inPath(name: string): Parameter {
	const description = pathParameters[name];
	if (description === undefined) {
		throw new Error(`The path parameter "${name}" has no description.`);
	}

	const schema: JsonSchema = {type: 'string', ...(pathRules[name] ?? {minLength: 1})};
	return {name, in: 'path', required: true, description, schema};
}

/** A query is text; what the server reads in it has types, which is what its document says. */
function inQuery(query: z.ZodObject, schemas: JsonSchemas): readonly Parameter[] {
	const {required = []} = z.toJSONSchema(query, {io: 'input'});
	return Object.entries(query.shape).map(([name, field]) => {
		const {description, ...schema} = schemas.given(field as z.ZodType);
		return {
			name,
			in: 'query',
			required: required.includes(name),
			...(description !== undefined && {description}),
			schema: withoutSize(schema),
		};
	});
}

/** Any number in a query is taken, however large: it is lowered. */
function withoutSize({format, ...schema}: JsonSchema): JsonSchema {
	return format === undefined || format === 'int64' ? schema : {...schema, format};
}

function inHeader(name: string, description: string): Parameter {
	return {name, in: 'header', required: false, description, schema: {type: 'string'}};
}
