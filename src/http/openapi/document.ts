import {z} from 'zod';
import {sendProviders} from '../../contract/constants.js';
import {version} from '../../lib/version.js';
import type {CallerName} from '../api/auth.js';
import {methodAndPath, type Operation, type OperationGroup} from '../api/operation.js';
import {bytes, Failures, type OperationLink, type Reference, type ResponseObject, successOf} from './responses.js';
import {type JsonSchema, JsonSchemas} from './schemas.js';

/** OpenAPI operation object. */
export type DescribedOperation = ReturnType<typeof describeOperation>;

/** OpenAPI document, as far as it is used here. */
export type OpenApiDocument = ReturnType<typeof describeApi>;

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

/** Creates the OpenAPI document. */
export function describeApi(groups: readonly OperationGroup[]) {
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
	responses: Readonly<Record<string, ResponseObject | Reference>>,
) {
	const {id, summary, description: about, caller = 'key', body, upload, example} = operation;
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
					'application/json': {schema: schemas.input(body), ...(example !== undefined && {example})},
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

type Parameter = {
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

/** Schemas of path parameters that are not just non-empty. */
const pathRules: Readonly<Record<string, JsonSchema>> = {
	provider: {enum: [...sendProviders]},
	templateId: {minLength: 1, maxLength: 300, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$'},
};

function pathParameterNames(path: string): readonly string[] {
	return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Parameters of an operation in path, query and headers. */
function parametersOf(operation: Operation, schemas: JsonSchemas): readonly Parameter[] {
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

/** Query parameters with the types of their parsed values. */
function inQuery(query: z.ZodObject, schemas: JsonSchemas): readonly Parameter[] {
	const {required = []} = z.toJSONSchema(query, {io: 'input'});
	return Object.entries(query.shape).map(([name, field]) => {
		const {description, ...schema} = schemas.output(field as z.ZodType);
		return {
			name,
			in: 'query',
			required: required.includes(name),
			...(description !== undefined && {description}),
			schema: withoutSize(schema),
		};
	});
}

/** Removes the size of integers: values above the maximum are lowered. */
function withoutSize({format, ...schema}: JsonSchema): JsonSchema {
	return format === undefined || format === 'int64' ? schema : {...schema, format};
}

function inHeader(name: string, description: string): Parameter {
	return {name, in: 'header', required: false, description, schema: {type: 'string'}};
}

/** Links of a response: operations whose path parameters are all in the response or in its own path. */
function linksOf(operation: Operation, all: readonly Operation[]): Readonly<Record<string, OperationLink>> {
	const {locationParam, responseIds = {}} = operation;
	const found = new Map(
		Object.entries({...(locationParam !== undefined && {[locationParam]: 'id'}), ...responseIds}).map(
			([name, pointer]) => [name, `$response.body#/${pointer}`],
		),
	);
	const known = new Map([
		...pathParameterNames(methodAndPath(operation).path).map(name => [name, `$request.path.${name}`] as const),
		...found,
	]);
	const targets = all.filter(other => {
		const names = pathParameterNames(methodAndPath(other).path);
		return other !== operation && names.every(name => known.has(name)) && names.some(name => found.has(name));
	});
	return Object.fromEntries(targets.map(target => [target.id, linkTo(target, known)]));
}

function linkTo(target: Operation, known: ReadonlyMap<string, string>): OperationLink {
	const names = pathParameterNames(methodAndPath(target).path);
	return {operationId: target.id, parameters: Object.fromEntries(names.map(name => [name, known.get(name) ?? '']))};
}

/** Example of a call in a shell. */
type Sample = {readonly lang: 'Shell'; readonly label: 'curl' | 'tinbox'; readonly source: string};

/** Credential headers by caller, with environment variables that the CLI reads, too. */
const headers = {
	anybody: undefined,
	key: 'X-API-Key: $TINBOX_API_KEY',
	keyOrToken: 'X-API-Key: $TINBOX_API_KEY',
	local: 'X-API-Key: $TINBOX_API_KEY',
	token: 'Authorization: Bearer $TINBOX_TOKEN',
	operator: 'Authorization: Bearer $OPERATOR_TOKEN',
	sender: 'Authorization: Bearer $SEND_KEY',
} as const;

export function samplesOf(operation: Operation): readonly Sample[] {
	const {command} = operation;
	return [
		{lang: 'Shell', label: 'curl', source: curlOf(operation)},
		...(command === undefined ? [] : [{lang: 'Shell', label: 'tinbox', source: command} as const]),
	];
}

function curlOf({caller = 'key', body, upload, example, ...operation}: Operation): string {
	const {method, path} = methodAndPath(operation);
	const header = headers[caller];
	const words = [
		'curl',
		...(method === 'GET' || (method === 'POST' && (body || upload)) ? [] : [`-X ${method}`]),
		`"$TINBOX_URL${path.replaceAll(/:(\w+)/g, '{$1}')}"`,
		...(header === undefined ? [] : [`-H "${header}"`]),
		...(upload ? [`-H 'Content-Type: ${upload.type}' --data-binary @mail.eml`] : []),
		...(body ? [`--json '${JSON.stringify(example ?? {})}'`] : []),
	];
	return words.join(' ');
}
