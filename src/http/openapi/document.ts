import {version} from '../../lib/version.js';
import type {CallerName} from '../auth.js';
import {methodAndPath, type Operation} from '../operation.js';
import type {OperationGroup} from '../operations/index.js';
import type {JsonSchema} from './json-schema.js';
import {JsonSchemas} from './json-schemas.js';
import {linksOf} from './links.js';
import {type Parameter, parametersOf} from './parameters.js';
import {bytes, Failures, type Reference, type Response, successOf} from './responses.js';
import {type Sample, samplesOf} from './samples.js';

type Security = ReadonlyArray<Readonly<Record<string, readonly []>>>;

/** An operation, as OpenAPI describes it. */
export type DescribedOperation = {
	readonly operationId: string;
	readonly tags: readonly [string];
	readonly summary: string;
	readonly description?: string;
	readonly security: Security;
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: {
		readonly required: boolean;
		readonly description?: string;
		readonly content: Readonly<Record<string, {readonly schema: JsonSchema; readonly example?: unknown}>>;
	};
	readonly responses: Readonly<Record<string, Response | Reference>>;
	readonly 'x-codeSamples': readonly Sample[];
};

/** What is used here of OpenAPI 3.1. */
export type OpenApiDocument = {
	readonly openapi: '3.1.1';
	readonly info: {
		readonly title: string;
		readonly version: string;
		readonly summary: string;
		readonly description: string;
		readonly license: {readonly name: string; readonly identifier: string};
	};
	readonly servers: ReadonlyArray<{readonly url: string; readonly description: string}>;
	readonly tags: ReadonlyArray<{readonly name: string; readonly description: string}>;
	readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
	readonly components: {
		readonly securitySchemes: typeof securitySchemes;
		readonly schemas: Readonly<Record<string, JsonSchema>>;
		readonly responses: Readonly<Record<string, Response>>;
	};
};

const securitySchemes = {
	apiKey: {type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key, created with `tinbox keys create`.'},
	token: {type: 'http', scheme: 'bearer', description: 'User token, created with `tinbox users token`.'},
	operatorToken: {
		type: 'http',
		scheme: 'bearer',
		description: 'Operator token of the daemon, stored in a file of its data folder.',
	},
	sendKey: {type: 'http', scheme: 'bearer', description: '`send_key` of an inbox, or an API key.'},
} as const;

/** How a caller says who it is. */
export type SecurityScheme = (typeof securitySchemes)[keyof typeof securitySchemes];

const schemesOf: Readonly<Record<CallerName, ReadonlyArray<keyof typeof securitySchemes>>> = {
	anybody: [],
	key: ['apiKey'],
	token: ['token'],
	keyOrToken: ['apiKey', 'token'],
	operator: ['operatorToken'],
	local: ['apiKey', 'token', 'operatorToken'],
	sender: ['sendKey'],
};

const description = `tinbox gives every test its own disposable inbox. Apps send their mail over SMTP or through a sending API. Tests read it through this API.

Lists are paginated: \`page\` starts at 1, and \`limit\` is at most 100 (default 20). With \`wait\`, a list of messages is a long poll: the request is held open until a message matches or the time is over.

Errors are \`application/problem+json\` (RFC 9457). Programs should compare \`code\`, which never changes; \`detail\` is for people. A method that a path does not support gets 405 and an \`Allow\` header. Later versions can add fields to responses: ignore unknown fields.

The sending APIs of Resend, Amazon SES, SendGrid, Postmark and Mailgun are served below \`/send/<provider>\`. They work as their providers document them and are not described here.`;

/** Describes the operations in OpenAPI 3.1. */
export function describeApi(groups: readonly OperationGroup[]): OpenApiDocument {
	const schemas = new JsonSchemas();
	const failures = new Failures(schemas);
	const all = groups.flatMap(({operations}) => operations);
	const paths: Record<string, Record<string, DescribedOperation>> = {};
	for (const {name, operations} of groups) {
		for (const operation of operations) {
			const {method, path} = methodAndPath(operation);
			const links = linksOf(operation, all);
			const responses = {...successOf(operation, schemas, links), ...failures.of(operation)};
			const key = path.replaceAll(/:(\w+)/g, '{$1}');
			const described = describeOperation(name, operation, schemas, responses);
			paths[key] = {...paths[key], [method.toLowerCase()]: described};
		}
	}

	return {
		openapi: '3.1.1',
		info: {
			title: 'tinbox',
			version,
			summary: 'Disposable inboxes for tests',
			description,
			license: {name: 'MIT', identifier: 'MIT'},
		},
		servers: [
			{url: '/v1', description: 'The daemon that serves this document.'},
			{url: 'http://127.0.0.1:8025/v1', description: 'A local daemon with the default settings.'},
		],
		tags: groups.map(({name, description: about}) => ({name, description: about})),
		paths,
		components: {securitySchemes, schemas: schemas.named(), responses: failures.named()},
	};
}

function describeOperation(
	tag: string,
	operation: Operation,
	schemas: JsonSchemas,
	responses: DescribedOperation['responses'],
): DescribedOperation {
	const {id, summary, description: about, caller, body, upload, example} = operation;
	const parameters = parametersOf(operation, schemas);
	return {
		operationId: id,
		tags: [tag],
		summary,
		...(about !== undefined && {description: about}),
		security: schemesOf[caller].map(scheme => ({[scheme]: []})),
		...(parameters.length > 0 && {parameters}),
		...(body && {
			requestBody: {
				required: !body.safeParse({}).success,
				content: {
					'application/json': {schema: schemas.taken(body), ...(example !== undefined && {example})},
				},
			},
		}),
		...(upload && {
			requestBody: {
				required: true,
				description: upload.description,
				content: {[upload.type]: {schema: bytes}},
			},
		}),
		responses,
		'x-codeSamples': samplesOf(operation),
	};
}
