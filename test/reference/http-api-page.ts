import {operationGroups} from '../../src/http/api/index.js';
import {type DescribedOperation, describeApi, type OpenApiDocument} from '../../src/http/openapi/document.js';
import type {JsonSchema} from '../../src/http/openapi/schemas.js';
import {type ProblemCode, statusOf} from '../../src/http/server/problems.js';
import {fieldNotes, filters, noteOwners, operationNotes} from './api-notes.js';
import {anchor, code, codes, generated, page, table} from './markdown.js';

/** A field or a parameter: its name, type and default, and what it means. */
type Row = {
	readonly name: string;
	readonly type: string;
	readonly initial: string;
	readonly meaning: string;
};

/** Objects that are shown by what they share with another one. */
const likeness: Readonly<Record<string, string>> = {
	CreatedEndpoint: 'Endpoint',
	CreatedInbox: 'Inbox',
	Delivery: 'DeliverySummary',
	EndpointWithDeliveries: 'Endpoint',
	ImportCheck: 'FullMessage',
	MessageRow: 'FullMessage',
	MessageSummary: 'FullMessage',
};

const credentialNames = {
	apiKey: 'API key',
	token: 'user token',
	operatorToken: 'operator token',
	sendKey: 'send key or API key',
} as const;

const introduction = `Almost every command of the command line uses this API. The base address is \`http://127.0.0.1:8025/v1\`.

\`\`\`sh
eval "$(tinbox daemon start --format env)"      # sets TINBOX_URL and TINBOX_API_KEY
addr=$(tinbox inbox create)
curl -s -H "X-API-Key: $TINBOX_API_KEY" "$TINBOX_URL/inboxes/$addr/messages?subject=Confirm&wait=30"
\`\`\`

The daemon serves an [OpenAPI 3.1](#openapi-and-generated-clients) document at \`/v1/openapi.json\`, and readable documentation at \`/docs\`.`;

const essays = `## Credentials

| Credential | Header | Gives access to | Where to get it |
| --- | --- | --- | --- |
| API key | \`X-API-Key: tbx_live_…\` | inboxes, messages, faults, webhooks, templates | \`tinbox keys create\`; \`tinbox daemon status --format env\` |
| user token | \`Authorization: Bearer …\` | teams and keys | \`tinbox users token\` |
| send key | \`Authorization: Bearer …\` | \`POST /v1/send\` | \`send_key\` of [the credentials of an inbox](#credentials-object) |
| operator token | \`Authorization: Bearer …\` | users, nodes, faults of the daemon | the file \`operator-token\` in the data folder |

Each operation below names the credentials that it accepts. Where it lists several, any one of them is enough.
"local user" means that API keys and tokens of other users get \`403\`.

## Path parameters

Parameters in the path of an operation:

PATH PARAMETERS

The short form of a message id is at least six characters from its start or its end. \`DELETE\` accepts no short forms.

## Lists

- \`page\` counts from 1. \`limit\` is 20 by default and 100 at most; a larger value is lowered.
- Lists of messages are sorted from newest to oldest. \`before=<id of the last row>\` returns the next rows, and \`after=<id>\` only newer ones.
- \`fields=summary\` makes lists of messages faster, because no mail is parsed.

## Long polls

\`wait=30\` holds a request open until a message matches, or until 30 seconds have passed; then the response is \`[]\`.
60 seconds is the maximum. The timeout of the HTTP client must be longer than \`wait\`.
If the daemon stops meanwhile, the response is \`503\`: repeat the request.

## Filters

Query parameters of [the list of messages](#list-or-wait-for-messages-of-an-inbox), and the options of \`tinbox messages wait\` and
\`messages list\` that do the same. A message must satisfy all of them.

FILTERS

- A text is found anywhere in the value, ignoring case. Over HTTP, \`/x/\` is a text too unless \`match=pattern\` is set.
- A regular expression has the RE2 syntax: matching takes linear time, and there is no look-around and no back-reference.
  It may have the flags \`i\`, \`m\` and \`s\`.
- With \`match=exact\`, subject, addresses, names and header fields must match as a whole.
- A text has at most 1,000 characters, a regular expression at most 5,000 steps (\`a{1000}\` counts as 1,000).
- \`contains\`, \`header\`, \`has\` and \`link\` look at the newest 1,000 messages that satisfy the other filters.
  A request with \`wait\` also looks at every message that arrives after it started.

## Errors

An error is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with the media type \`application/problem+json\`:

\`\`\`json
{"title":"Bad Request","status":400,"detail":"\\"limit\\" must be a whole number of at least 1.","code":"invalid_input","errors":[{"field":"limit","message":"must be a whole number of at least 1"}]}
\`\`\`

\`code\` is stable and meant for programs; \`detail\` is for people. \`errors\` lists the wrong fields.
\`Retry-After\` says after how many seconds a new attempt can succeed. [All error codes](exit-codes.md#error-codes-of-the-http-api) are on one page.
Every operation can fail with COMMON. Operations with credentials can also answer \`unauthorized\`.

Later versions may add fields to answers: ignore fields that you do not know.`;

const clients = `## OpenAPI and generated clients

\`GET /v1/openapi.json\` and \`tinbox api spec\` return the OpenAPI 3.1 document. These generators were tested with it:

| Generator | Options |
| --- | --- |
| openapi-generator: \`python\`, \`typescript-fetch\` | none |
| openapi-generator: \`go\` | \`useOneOfDiscriminatorLookup=true\`, to distinguish events. Always pass a body, even an optional one: without it the client sends \`null\`. |
| openapi-generator: \`java\`, \`library=okhttp-gson\` | \`containerDefaultToNull=true\`. \`to\`, \`cc\`, \`bcc\` and \`reply_to\` of a mail take one address each. |
| openapi-generator: \`java\`, \`library=native\` | \`containerDefaultToNull=true\` and \`--schema-mappings SendMailRecipients=Object\`. It cannot import mail. Always pass a body, as with \`go\`. |
| openapi-typescript with openapi-fetch | \`--default-non-nullable false\` |
| oapi-codegen | \`skip-prune\`, for the type \`Event\` |
| openapi-python-client | none; it cannot import mail |`;

/** The page about the HTTP API. */
export function httpApiPage(): string {
	return render(new Api(describeApi(operationGroups)));
}

function render(api: Api): string {
	const essay = essays
		.replace(
			'FILTERS',
			table(
				['Parameter', 'Option', 'Matches'],
				filters.map(({parameter, flag, meaning}) => [code(parameter), flag, meaning]),
			),
		)
		.replace('PATH PARAMETERS', api.pathParameters())
		.replace('COMMON', codes(api.commonCodes()));
	return page([
		'# HTTP API',
		generated,
		introduction,
		table(
			['Operations', 'About'],
			operationGroups.map(({name, description}) => [`[${name}](#${anchor(name)})`, description]),
		),
		essay,
		...operationGroups.flatMap(({name, description}) => [
			`## ${name}`,
			description,
			api.index(name),
			...api.chapter(name),
		]),
		'## Objects',
		'Every field is present unless it is marked "optional". Times are in ISO 8601, in UTC.',
		...api.objects(),
		clients,
	]);
}

/** Fields and parameters without a meaning, as `owner.name`. */
export function undescribed(): readonly string[] {
	const api = new Api(describeApi(operationGroups));
	// Renders the page first, since only shown objects count.
	render(api);
	return api.undescribed();
}

type Placed = {readonly method: string; readonly path: string; readonly operation: DescribedOperation};

/** Request bodies, which are shown with their operations, and what is part of them. */
const inputPattern = /^(?:Create(?!d)|Update|Put|Accept|SendMail)/;

class Api {
	readonly #document: OpenApiDocument;
	/** Objects that the page links to. */
	readonly #linked = new Set<string>();

	constructor(document: OpenApiDocument) {
		this.#document = document;
	}

	operations(group?: string): readonly Placed[] {
		return Object.entries(this.#document.paths)
			.flatMap(([path, methods]) =>
				Object.entries(methods).map(([method, operation]) => ({
					method: method.toUpperCase(),
					path: `/v1${path}`,
					operation,
				})),
			)
			.filter(({operation}) => group === undefined || operation.tags[0] === group);
	}

	/** The table of all operations of a group. */
	index(group: string): string {
		return table(
			['Operation', 'Path'],
			this.operations(group).map(({method, path, operation: {summary}}) => [
				`[${summary}](#${anchor(summary)})`,
				code(`${method} ${path}`),
			]),
		);
	}

	pathParameters(): string {
		const all = this.operations().flatMap(({operation: {parameters = []}}) =>
			parameters.filter(one => one.in === 'path'),
		);
		const byName = new Map(all.map(({name, description = ''}) => [name, description]));
		return table(
			['Parameter', 'Meaning'],
			[...byName].map(([name, description]) => [
				code(`{${name}}`),
				name === 'messageId' ? `${description.replace(/\.$/, '')}, or a short form of the id.` : description,
			]),
		);
	}

	chapter(group: string): ReadonlyArray<string | undefined> {
		return this.operations(group).flatMap(placed => this.#section(placed));
	}

	#section({method, path, operation}: Placed): ReadonlyArray<string | undefined> {
		const {operationId, summary, description, requestBody, 'x-codeSamples': samples} = operation;
		const [parameters, body] = [this.parameters(operation), this.body(operation)];
		const command = samples.find(({label}) => label === 'tinbox')?.source;
		const {'application/json': json, ...uploads} = requestBody?.content ?? {};
		const facts: ReadonlyArray<readonly [string, string | undefined]> = [
			['Credentials', this.#credentials(operation)],
			['Body', Object.keys(uploads).length > 0 ? `${codes(Object.keys(uploads))}. ${requestBody?.description}` : ''],
			['Example body', json?.example === undefined ? '' : code(JSON.stringify(json.example))],
			['Answer', this.#answer(operation)],
			['Error codes', codes(this.#ownCodes(operation))],
			['Command', command && code(command)],
		];
		return [
			`### ${summary}`,
			code(`${method} ${path}`),
			[description, operationNotes[operationId]].filter(Boolean).join(' '),
			fieldTable('Parameter', parameters),
			fieldTable('Body field', body),
			facts.flatMap(([name, text]) => (text ? [`- **${name}:** ${text}`] : [])).join('\n'),
		];
	}

	#credentials({security}: DescribedOperation): string {
		const names = security.flatMap(each => Object.keys(each)) as ReadonlyArray<keyof typeof credentialNames>;
		const words = names.map(name => credentialNames[name]);
		// Only operations for the local user and the operator accept all three.
		return words.length === 0 ? 'none' : `${words.join(', ')}${words.length === 3 ? ' (local user)' : ''}`;
	}

	/** Query parameters and headers. Filters and path parameters are explained once. */
	parameters({operationId, parameters = []}: DescribedOperation): readonly Row[] {
		const isList = parameters.some(({name}) => name === 'smtp_user');
		return parameters
			.filter(({name, in: place}) => place !== 'path' && !(isList && filters.some(({parameter}) => parameter === name)))
			.map(({name, required, description, schema}) => ({
				name,
				type: `${this.#type(schema)}${required ? ', required' : ''}`,
				initial: initialOf(schema),
				meaning: meaningOf(description, operationId, name),
			}));
	}

	body({operationId, requestBody}: DescribedOperation): readonly Row[] {
		const {schema} = requestBody?.content['application/json'] ?? {};
		return schema === undefined ? [] : this.#fields(schema, nameIn(schema) ?? operationId);
	}

	/** The fields of an object. Fields of unnamed objects have dotted names. */
	#fields(schema: JsonSchema, owner: string, prefix = ''): readonly Row[] {
		const {properties = {}, required = []} = this.#resolve(schema);
		const isInput = inputPattern.test(owner);
		return Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([field, value]) => {
			const name = `${prefix}${field}`;
			const isRequired = required.includes(field) && value.default === undefined;
			const mark = isInput && isRequired ? ', required' : !isInput && !isRequired ? ', optional' : '';
			const row = {
				name,
				type: `${this.#type(value)}${mark}`,
				initial: initialOf(value),
				meaning: meaningOf(value.description, owner, name),
			};
			return [row, ...(value.properties ? this.#fields(value, owner, `${name}.`) : [])];
		});
	}

	#answer({responses}: DescribedOperation): string {
		const [status = '', response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
		const {content = {}, description = ''} = response as Response;
		const schema = content['application/json']?.schema;
		const name = schema && nameIn(schema);
		const isList = name?.endsWith('List') === true;
		const types = Object.keys(content);
		const what = isList
			? this.#fields(this.#named(name), name).map(field => `${code(field.name)} (${field.type})`)
			: schema && schema.type !== 'object'
				? [this.#type(schema, true)]
				: types.length > 0
					? [`${codes(types)}. ${description}`]
					: ['no body'];
		const event = content['text/event-stream'] ? ` Each is an ${this.#link('Event')}.` : '';
		return `${code(status)} ${what.join(', ')}${event}`;
	}

	#codes({responses}: DescribedOperation): readonly ProblemCode[] {
		return Object.values(responses).flatMap(response => {
			const name = '$ref' in response ? response.$ref.split('/').at(-1) : undefined;
			const {content = {}} = (name === undefined ? undefined : this.#document.components.responses[name]) ?? {};
			return Object.values(content).flatMap(part => part['x-codes'] ?? []);
		});
	}

	/** Codes that every operation can fail with. */
	commonCodes(): readonly ProblemCode[] {
		const [first = [], ...others] = this.operations().map(({operation}) => this.#codes(operation));
		return first.filter(one => others.every(all => all.includes(one)));
	}

	#ownCodes(operation: DescribedOperation): readonly ProblemCode[] {
		const common = [...this.commonCodes(), 'unauthorized'];
		const own = this.#codes(operation).filter(one => !common.includes(one));
		return [...own].sort((a, b) => statusOf[a] - statusOf[b]);
	}

	/** The objects that were linked to so far, and those that they link to. */
	objects(): readonly string[] {
		const sections = new Map<string, readonly string[]>();
		const next = () => [...this.#linked].find(name => !sections.has(name));
		for (let name = next(); name !== undefined; name = next()) {
			sections.set(name, [`### ${headingOf(name)}`, this.#object(name)]);
		}

		return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en')).flatMap(([, section]) => section);
	}

	undescribed(): readonly string[] {
		const taken = this.operations().flatMap(({operation}) =>
			[...this.parameters(operation), ...this.body(operation)].map(row => ({owner: operation.operationId, row})),
		);
		const given = Object.entries(this.#document.components.schemas)
			.filter(([name]) => !/(?:Event|List)$/.test(name))
			.flatMap(([name, schema]) => this.#fields(schema, name).map(row => ({owner: name, row})))
			.filter(({row}) => row.meaning === '')
			.filter(({owner}) => this.#linked.has(owner));
		return [...taken.filter(({row}) => row.meaning === ''), ...given].map(({owner, row}) => `${owner}.${row.name}`);
	}

	#object(name: string): string {
		const schema = this.#named(name);
		const alternatives = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
		if (alternatives !== undefined) {
			return this.#variants(alternatives.map(one => nameIn(one) ?? ''));
		}

		const own = this.#fields(schema, name);
		const similar = likeness[name];
		if (similar === undefined) {
			return fieldTable('Field', own) ?? '';
		}

		const others = this.#fields(this.#named(similar), similar);
		const added = own.filter(row => !others.some(other => other.name === row.name));
		return added.length === 0
			? `These fields of ${this.#link(similar)}: ${codes(own.map(row => row.name).filter(field => !field.includes('.')))}.`
			: `All fields of ${this.#link(similar)}, and:\n\n${fieldTable('Field', added)}`;
	}

	/** Objects that differ in their `type`. */
	#variants(names: readonly string[]): string {
		return table(
			['`type`', 'Further fields'],
			names.map(name => {
				const [type, ...others] = this.#fields(this.#named(name), name);
				return [type?.type ?? '', others.map(field => `${code(field.name)} (${field.type})`).join(', ')];
			}),
		);
	}

	#named(name: string): JsonSchema {
		return this.#document.components.schemas[name] ?? {};
	}

	#resolve(schema: JsonSchema): JsonSchema {
		const name = nameIn(schema);
		return name === undefined ? schema : this.#named(name);
	}

	#link(name: string): string {
		this.#linked.add(name);
		return `[${name}](#${anchor(headingOf(name))})`;
	}

	/** A type in words. Objects of up to three plain fields are written out, unless they are the whole answer. */
	#type(schema: JsonSchema, isAnswer = false): string {
		const name = nameIn(schema);
		if (name !== undefined) {
			const {properties, oneOf, anyOf} = this.#named(name);
			const isObject = properties !== undefined || oneOf !== undefined || anyOf?.some(one => nameIn(one as JsonSchema));
			const fields = Object.values((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
			const isPlain = fields.length > 0 && fields.length <= 3 && fields.every(isPlainField);
			if (!isObject) {
				return this.#type(this.#named(name));
			}

			return isPlain && !isAnswer ? code(`{${Object.keys(properties ?? {}).join(', ')}}`) : this.#link(name);
		}

		const {type, enum: values, const: only, anyOf, items, maxItems} = schema;
		if (only !== undefined) {
			return code(String(only));
		}

		const alternatives = (anyOf ?? []) as readonly JsonSchema[];
		const types = [type].flat().filter(one => one !== undefined);
		const isNullable = types.includes('null') || alternatives.some(one => one.type === 'null');
		const [first = 'any'] = types.filter(one => one !== 'null');
		const words =
			values !== undefined
				? codes(values.filter(value => value !== null))
				: alternatives.length > 0
					? alternatives
							.filter(one => one.type !== 'null')
							.map(one => this.#type(one))
							.join(' or ')
					: first === 'array'
						? `array of ${this.#type(withoutBounds(items as JsonSchema))}${maxItems === undefined ? '' : `, at most ${number(maxItems)}`}`
						: `${formats[schema.format ?? ''] ?? first}${boundsOf(schema, first)}`;
		return `${words}${isNullable ? `${words.replaceAll(/`[^`]*`/g, '').includes(',') ? ',' : ''} or null` : ''}`;
	}
}

type Response = {
	readonly description?: string;
	readonly content?: Readonly<Record<string, {readonly schema: JsonSchema}>>;
};

const formats: Readonly<Record<string, string>> = {'date-time': 'time', uuid: 'id', uri: 'URL'};

/** The meaning of a field. Descriptions that only state a huge maximum are dropped. */
function meaningOf(description: string | undefined, owner: string, name: string): string {
	const isUseless = description === undefined || /^Lowered to \d{7,} /.test(description);
	const owners = [owner, noteOwners[owner] ?? owner, likeness[owner] ?? owner];
	const [last = name] = name.split('.').slice(-1);
	const [note] = [...owners.map(one => `${one}.${name}`), name, last].flatMap(key => fieldNotes[key] ?? []);
	return isUseless ? (note ?? '') : description;
}

/** True for a field whose name needs no explanation. */
function isPlainField({type, description, properties, items}: JsonSchema): boolean {
	const isObject = properties !== undefined || nameIn((items ?? {}) as JsonSchema) !== undefined;
	return type !== undefined && description === undefined && !isObject;
}

function withoutBounds({maxLength: _, minLength: __, ...schema}: JsonSchema): JsonSchema {
	return schema;
}

/** Bounds that are worth reading: every amount is at least 0, and every text may be empty. */
function boundsOf({minimum = 0, maximum, maxLength}: JsonSchema, type: string): string {
	if (type === 'string') {
		return maxLength === undefined ? '' : `, at most ${number(maxLength)} characters`;
	}

	return maximum === undefined || maximum >= 1_000_000_000 ? '' : `, ${number(minimum)} to ${number(maximum)}`;
}

function number(value: number): string {
	return value.toLocaleString('en-US');
}

function nameIn(schema: JsonSchema): string | undefined {
	return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

function headingOf(name: string): string {
	return `${name} object`;
}

function initialOf({default: value}: JsonSchema): string {
	const isEmpty = value === undefined || value === null || ['""', '{}', '[]'].includes(JSON.stringify(value));
	return isEmpty ? '' : code(String(value));
}

function fieldTable(kind: string, rows: readonly Row[]): string | undefined {
	return rows.length === 0
		? undefined
		: table(
				[kind, 'Type', 'Default', 'Meaning'],
				rows.map(({name, type, initial, meaning}) => [code(name), type, initial, meaning]),
			);
}
