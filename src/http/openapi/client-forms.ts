import type {JsonSchema} from './json-schema.js';

/** Of the integers that are read as 32 bits wherever nothing is said of their size. */
const largestOf32Bits = 2 ** 31 - 1;

/** The same in that one of several forms which generators of clients read rightly, in whatever language. */
export function inClientForm(schema: JsonSchema): JsonSchema {
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
