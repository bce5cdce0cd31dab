import fc from 'fast-check';
import {z} from 'zod';
import type {Route} from '../../../unit/http/routes.js';

/** `{name}` in a path or body stands for the id of that name in the world. */
export type RandomRequest = {readonly method: string; readonly path: string; readonly body: unknown};

type JsonSchema = z.core.JSONSchema.BaseSchema;

const hostileTexts = [
	...['', ' ', '*', '/', '..', '../..', '%', '%00', '\0', '\r\n', '\x1b[2J', '\u202e', '\uffff', '😀'],
	...['__proto__', 'constructor', 'null', 'NaN', '-1', '1e999', '0x10', '9'.repeat(400), "' OR 1=1 --"],
	...['/(a+)+$/', '/[/', '/a/zz', 'x: y', ':', '2026-01-31T12:00:00Z', '00000000-0000-4000-8000-000000000000'],
	...['a@b.test', '*@b.test', 'a@b@c', 'x'.repeat(20_000)],
];

const anyText = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({unit: 'binary', maxLength: 40}), fc.uuid());

/** Values by field name that are likely to be accepted. */
const likely: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
	name: fc.constant('Some name'),
	email: fc.uuid().map(id => `${id}@b.test`),
	email_address: fc.uuid().map(id => `*@${id}.test`),
	team_id: fc.constantFrom('{team}', null),
	after: fc.constantFrom('{message}', '2026-01-31T12:00:00Z'),
	header: fc.constantFrom('Subject: code', ['Subject: /c.de/', 'From: a']),
	match: fc.constantFrom('text', 'pattern'),
	events: fc.constantFrom(['message.received'], ['fault.hit']),
	secret: fc.uuid(),
	link: fc.constantFrom('here', '/a.test/i'),
};

/** Values by field name that neither delay the suite nor leave this machine. */
const restricted: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
	wait: fc.constantFrom('0', '0', '1', '-1', 'x', ''),
	url: fc.constantFrom(
		'http://127.0.0.1:9/',
		'http://[::1]:9/x',
		'http://',
		'ftp://127.0.0.1/',
		'::',
		'',
		'http://127.1:9',
	),
};

/** Random requests for a route: most match its schemas, some do not. */
export function randomRequest({request, body, query}: Route): fc.Arbitrary<RandomRequest> {
	const [method = '', path = ''] = request.split(' ');
	return fc.record({
		method: fc.constant(method),
		path: fc
			.tuple(pathFor(path), query ? queryFor(query) : fc.constantFrom('', '', '?x=y'))
			.map(parts => parts.join('')),
		body: body ? spoiled(valueFor(jsonSchemaOf(body))) : fc.constant(undefined),
	});
}

function pathFor(path: string): fc.Arbitrary<string> {
	const segments = path.split('/').map(segment => {
		const [, name] = /^:(\w+?)(?:Id)?$/.exec(segment) ?? [];
		const id = fc.oneof(
			{weight: 8, arbitrary: fc.constant(`{${name}}`)},
			{weight: 1, arbitrary: anyText.map(encodeURIComponent)},
		);
		return name === undefined ? fc.constant(segment) : id;
	});
	return fc.tuple(...segments).map(parts => parts.join('/'));
}

function queryFor(schema: z.ZodType): fc.Arbitrary<string> {
	return spoiled(valueFor(jsonSchemaOf(schema))).map(value => {
		const pairs = Object.entries(value ?? {}).flatMap(([name, given]) =>
			[given]
				.flat()
				.map(
					one =>
						`${encodeURIComponent(name)}=${encodeURIComponent(typeof one === 'string' ? one : JSON.stringify(one))}`,
				),
		);
		return pairs.length > 0 ? `?${pairs.join('&')}` : '';
	});
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
	const {$defs: named = {}, ...whole} = z.toJSONSchema(schema, {io: 'input', unrepresentable: 'any'});
	return withoutReferences(whole, named) as JsonSchema;
}

/** Replaces references by the schemas themselves. */
function withoutReferences(value: unknown, named: Readonly<Record<string, unknown>>): unknown {
	if (typeof value !== 'object' || value === null) {
		return value;
	}

	if (Array.isArray(value)) {
		return value.map(one => withoutReferences(one, named));
	}

	if ('$ref' in value) {
		return withoutReferences(named[String(value.$ref).replace('#/$defs/', '')], named);
	}

	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutReferences(one, named)]));
}

/** Values that the schema allows. Strings are arbitrary, regardless of their pattern. */
function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
	if (schema.enum) {
		return fc.constantFrom(...schema.enum);
	}

	if (schema.anyOf) {
		return fc.oneof(...schema.anyOf.map(valueFor));
	}

	if (Array.isArray(schema.type)) {
		return fc.oneof(...schema.type.map(type => valueFor({...schema, type})));
	}

	switch (schema.type) {
		case 'object':
			return objectFor(schema);
		case 'array':
			return fc.array(valueFor(typeof schema.items === 'object' && !Array.isArray(schema.items) ? schema.items : {}), {
				maxLength: 12,
			});
		case 'integer':
			return fc.integer({min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 100, 2 ** 31)});
		case 'boolean':
			return fc.boolean();
		case 'null':
			return fc.constant(null);
		default:
			return schema.pattern === '^\\d+$' ? fc.nat(200).map(String) : anyText;
	}
}

/** Objects with the required and some optional fields, and sometimes with unknown fields or wrong values. */
function objectFor({properties = {}, required = []}: JsonSchema): fc.Arbitrary<unknown> {
	const fields = Object.entries(properties).map(([name, field]) => [name, fieldFor(name, field)] as const);
	const regular = fc.record(Object.fromEntries(fields), {requiredKeys: required});
	const key = fields.length > 0 ? fc.oneof(anyText, fc.constantFrom(...Object.keys(properties))) : anyText;
	const foreign = fc.dictionary(key, fc.jsonValue(), {maxKeys: 2});
	return fc.oneof(
		{weight: 9, arbitrary: regular},
		{weight: 1, arbitrary: fc.tuple(foreign, regular).map(([extra, value]) => ({...extra, ...value}))},
	);
}

function fieldFor(name: string, schema: JsonSchema | boolean): fc.Arbitrary<unknown> {
	const allowed = restricted[name] ?? spoiled(valueFor(typeof schema === 'object' ? schema : {}));
	const usual = likely[name] ?? allowed;
	return fc.oneof({weight: 4, arbitrary: usual}, {weight: 1, arbitrary: allowed});
}

function spoiled(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
	return fc.oneof({weight: 9, arbitrary: value}, {weight: 1, arbitrary: fc.jsonValue()});
}
