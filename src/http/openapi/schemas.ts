import {z} from 'zod';

const place = '#/components/schemas/';

/** Makes JSON Schemas of those of zod, and collects the named ones. */
export class JsonSchemas {
	readonly #named = new Map<string, JsonSchema>();

	/** What a client may send. */
	input(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'input');
	}

	/** What a client is answered. Later versions can answer more fields, so that it must not rely on there being no others. */
	output(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'output');
	}

	/** All schemas with a name, in the order of these. */
	named(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries([...this.#named].sort(([a], [b]) => a.localeCompare(b, 'en')));
	}

	#make(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
		const {
			$schema: _,
			$defs = {},
			...made
		} = z.toJSONSchema(schema, {
			io,
			override: ({jsonSchema}) => simplify(jsonSchema, io),
		});
		for (const [name, definition] of Object.entries($defs)) {
			this.#named.set(name, pointToComponents(definition as JsonSchema));
		}

		return pointToComponents(made as JsonSchema);
	}
}

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
	if (io === 'output' && schema.additionalProperties === false) {
		delete schema.additionalProperties;
	}

	// Of types alone: nothing that is taken is read-only.
	delete schema.readOnly;
	if (schema.format !== undefined) {
		// The format says it, where zod has a long pattern for the same.
		delete schema.pattern;
	}

	// Of any integer in JavaScript: what is answered has no other, and what is taken is refused beyond.
	for (const [bound, value] of [
		['minimum', Number.MIN_SAFE_INTEGER],
		['maximum', Number.MAX_SAFE_INTEGER],
	] as const) {
		if (io === 'output' && schema[bound] === value) {
			delete schema[bound];
		}
	}
}

function pointToComponents(schema: JsonSchema): JsonSchema {
	const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${place}`));
	return forClientGenerators(pointed);
}

/** Of the integers that are read as 32 bits wherever nothing is said of their size. */
const largestOf32Bits = 2 ** 31 - 1;

/** The same in that one of several forms which generators of clients read rightly, in whatever language. */
function forClientGenerators(schema: JsonSchema): JsonSchema {
	return JSON.parse(JSON.stringify(schema), (_, part) =>
		isObject(part)
			? oneNullable(sized(typesApart(objectOrArrayAsAny(anythingAsTrue(withoutNullDefault(part))))))
			: part,
	);
}

/** Null is what is not given, anyway: clients would make the text "null" of it. */
function withoutNullDefault({default: value, ...schema}: JsonSchema): JsonSchema {
	return value === undefined || value === null ? schema : {...schema, default: value};
}

/** Fields of any type are said to be there: of a schema that says nothing, clients make pointers. */
function anythingAsTrue(schema: JsonSchema): JsonSchema {
	const {additionalProperties: others} = schema;
	return isObject(others) && Object.keys(others).length === 0 ? {...schema, additionalProperties: true} : schema;
}

/** Any JSON in place of an object or an array: few languages have a type for that choice. */
function objectOrArrayAsAny(schema: JsonSchema): JsonSchema {
	const {anyOf = [], ...rest} = schema;
	const types = anyOf.map(({type}) => type);
	const isAny = anyOf.some(one => Object.keys(one).length === 0);
	return isAny || (types.includes('object') && types.includes('array')) ? rest : schema;
}

/** Several types besides null are alternatives: of a list of types, clients take one. */
function typesApart(schema: JsonSchema): JsonSchema {
	const {type, ...rest} = schema;
	return Array.isArray(type) && type.filter(one => one !== 'null').length > 1
		? {...rest, anyOf: type.map(one => sized({type: one}))}
		: schema;
}

/** Numbers as large as those of JavaScript. */
function sized(schema: JsonSchema): JsonSchema {
	const {type, format, maximum = Number.POSITIVE_INFINITY} = schema;
	const types = [type].flat();
	if (format === undefined && types.includes('number')) {
		return {...schema, format: 'double'};
	}

	return format === undefined && types.includes('integer') && maximum > largestOf32Bits
		? {...schema, format: 'int64'}
		: schema;
}

/** Something or null is one type that is nullable, and no choice, which would be a class of its own. */
function oneNullable(schema: JsonSchema): JsonSchema {
	const {anyOf = [], ...rest} = schema;
	const [one, ...others] = anyOf.filter(({type}) => type !== 'null');
	if (typeof one?.type !== 'string' || others.length > 0 || anyOf.length === 1) {
		return schema;
	}

	return {...one, ...rest, type: [one.type, 'null'], ...(one.enum && {enum: [...one.enum, null]})} as JsonSchema;
}

function isObject(part: unknown): part is JsonSchema {
	return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** A JSON Schema (draft 2020-12), which is what OpenAPI 3.1 has. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;
