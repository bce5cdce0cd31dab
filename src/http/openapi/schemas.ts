import {z} from 'zod';

const place = '#/components/schemas/';

/** Converts zod schemas to JSON Schemas, and collects those that have an id. */
export class JsonSchemas {
	readonly #named = new Map<string, JsonSchema>();

	/** Schema of what a client sends. */
	input(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'input');
	}

	/** Schema of a response. It allows additional fields, which later versions may add. */
	output(schema: z.ZodType): JsonSchema {
		return this.#make(schema, 'output');
	}

	/** Collected schemas, sorted by name. */
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

	// A property of the TypeScript type only.
	delete schema.readOnly;
	if (schema.format !== undefined) {
		// Redundant with the format.
		delete schema.pattern;
	}

	// Bounds of every JavaScript integer: noise in responses.
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

/** Maximum of integers that client generators read as 32 bits. */
const largestOf32Bits = 2 ** 31 - 1;

/** Rewrites a schema to the form that client generators of all languages understand. */
function forClientGenerators(schema: JsonSchema): JsonSchema {
	return JSON.parse(JSON.stringify(schema), (_, part) =>
		isObject(part)
			? oneNullable(sized(typesApart(objectOrArrayAsAny(anythingAsTrue(withoutNullDefault(part))))))
			: part,
	);
}

/** Removes a null default: clients would send the text "null". */
function withoutNullDefault({default: value, ...schema}: JsonSchema): JsonSchema {
	return value === undefined || value === null ? schema : {...schema, default: value};
}

/** Makes fields of any type explicit: clients create pointers for empty schemas. */
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

/** Splits several types into alternatives: clients would take the first. */
function typesApart(schema: JsonSchema): JsonSchema {
	const {type, ...rest} = schema;
	return Array.isArray(type) && type.filter(one => one !== 'null').length > 1
		? {...rest, anyOf: type.map(one => sized({type: one}))}
		: schema;
}

/** Adds formats, so that numbers are read as 64 bits. */
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

/** Merges an alternative with null into a nullable type. Clients would create a class for it. */
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

/** JSON Schema (draft 2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;
