import {expect, test} from 'vitest';
import {operationGroups} from '../../../../src/http/api/index.js';
import {describeApi} from '../../../../src/http/openapi/document.js';

/** Schema keywords that these rules use; other objects of the document have none of them. */
type Part = {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly format?: string;
	readonly maximum?: number;
	readonly enum?: readonly unknown[];
	readonly default?: unknown;
	readonly items?: Part;
	readonly anyOf?: readonly Part[];
	readonly oneOf?: readonly Part[];
	readonly discriminator?: object;
	readonly additionalProperties?: object | boolean;
};

const parts = partsOf('#', JSON.parse(JSON.stringify(describeApi(operationGroups))));

const rules: ReadonlyArray<{readonly rule: string; readonly isBroken: (part: Part, at: string) => boolean}> = [
	{
		rule: 'a value has at most one type besides null',
		isBroken: ({type}) => Array.isArray(type) && typesOf(type).length !== 1,
	},
	{
		rule: 'only a named schema is combined with null',
		isBroken: part => choices(part).some(isNull) && !choices(part).every(one => isNull(one) || one.$ref !== undefined),
	},
	{
		rule: 'an enum that can be null contains null',
		isBroken: ({type, enum: values}) => Array.isArray(type) && values !== undefined && !values.includes(null),
	},
	{rule: 'no default is null', isBroken: part => part.default === null},
	{
		rule: 'a reference has only a description beside it',
		isBroken: ({$ref, ...beside}) => $ref !== undefined && Object.keys(beside).some(key => key !== 'description'),
	},
	{
		rule: 'alternative bodies are distinguished by a field',
		isBroken: ({anyOf = []}) => anyOf.filter(({$ref, type}) => $ref !== undefined || type === 'object').length > 1,
	},
	{
		rule: 'alternative bodies have a discriminator',
		isBroken: ({oneOf, discriminator}) => oneOf !== undefined && discriminator === undefined,
	},
	{
		rule: 'a body in a list or in a choice has a name',
		isBroken: part => [part.items, ...choices(part)].some(one => one?.type === 'object'),
	},
	{
		rule: 'fields of any type have no schema',
		isBroken: ({additionalProperties: others}) => typeof others === 'object' && Object.keys(others).length === 0,
	},
	{
		rule: 'a list in a choice contains strings',
		isBroken: part => choices(part).some(({type, items}) => type === 'array' && items?.type !== 'string'),
	},
	{
		rule: 'a fraction is a double',
		isBroken: ({type, format}) => typesOf(type).includes('number') && format !== 'double',
	},
	{
		rule: 'an integer of more than 32 bits in a body is an int64',
		isBroken: ({type, format, maximum = Number.POSITIVE_INFINITY}, at) =>
			!at.includes('/parameters/') && typesOf(type).includes('integer') && format !== 'int64' && maximum >= 2 ** 31,
	},
];

test.each(rules)('for generated clients, $rule', ({isBroken}) => {
	expect(parts.filter(({part, at}) => isBroken(part, at)).map(({at}) => at)).toEqual([]);
});

test('for generated clients, content that is neither JSON nor text is binary', () => {
	const schemas = parts
		.filter(({at}) => /\/content\/(?!application\/(?:\w+\+)?json|text\/)[^/]+\/[^/]+\/schema$/.test(at))
		.map(({part}) => part);
	expect(schemas.length).toBeGreaterThan(0);
	expect(schemas).toEqual(schemas.map(() => ({type: 'string', format: 'binary'})));
});

function typesOf(type: Part['type'] = []): readonly string[] {
	return [type].flat().filter(one => one !== 'null');
}

function choices({anyOf = [], oneOf = []}: Part): readonly Part[] {
	return [...anyOf, ...oneOf];
}

function isNull({type}: Part): boolean {
	return type === 'null';
}

/** Every object of the document with its path. */
function partsOf(at: string, value: unknown): ReadonlyArray<{readonly at: string; readonly part: Part}> {
	return typeof value === 'object' && value !== null
		? [{at, part: value}, ...Object.entries(value).flatMap(([key, one]) => partsOf(`${at}/${key}`, one))]
		: [];
}
