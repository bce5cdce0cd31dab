import {expect, test} from 'vitest';
import {operationGroups} from '../../../../src/http/api/index.js';
import {describeApi} from '../../../../src/http/openapi/document.js';

/** What is used here of a schema. Other objects of the document have none of it. */
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
		rule: 'of several types all but one are null',
		isBroken: ({type}) => Array.isArray(type) && typesOf(type).length !== 1,
	},
	{
		rule: 'only what has a name is a choice with null',
		isBroken: part => choices(part).some(isNull) && !choices(part).every(one => isNull(one) || one.$ref !== undefined),
	},
	{
		rule: 'values that can be null have null among them',
		isBroken: ({type, enum: values}) => Array.isArray(type) && values !== undefined && !values.includes(null),
	},
	{rule: 'no default is null', isBroken: part => part.default === null},
	{
		rule: 'a reference has no more than a description beside it',
		isBroken: ({$ref, ...beside}) => $ref !== undefined && Object.keys(beside).some(key => key !== 'description'),
	},
	{
		rule: 'bodies to choose from are told apart by a field',
		isBroken: ({anyOf = []}) => anyOf.filter(({$ref, type}) => $ref !== undefined || type === 'object').length > 1,
	},
	{
		rule: 'a choice of bodies says which field tells them apart',
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
		rule: 'a list in a choice is one of texts',
		isBroken: part => choices(part).some(({type, items}) => type === 'array' && items?.type !== 'string'),
	},
	{
		rule: 'a fraction is a double',
		isBroken: ({type, format}) => typesOf(type).includes('number') && format !== 'double',
	},
	{
		rule: 'an integer of more than 32 bits in a body says so',
		isBroken: ({type, format, maximum = Number.POSITIVE_INFINITY}, at) =>
			!at.includes('/parameters/') && typesOf(type).includes('integer') && format !== 'int64' && maximum >= 2 ** 31,
	},
];

test.each(rules)('for clients that are generated, $rule', ({isBroken}) => {
	expect(parts.filter(({part, at}) => isBroken(part, at)).map(({at}) => at)).toEqual([]);
});

test('for clients that are generated, what is neither JSON nor text is bytes', () => {
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

/** Each object of the document with where it is. */
function partsOf(at: string, value: unknown): ReadonlyArray<{readonly at: string; readonly part: Part}> {
	return typeof value === 'object' && value !== null
		? [{at, part: value}, ...Object.entries(value).flatMap(([key, one]) => partsOf(`${at}/${key}`, one))]
		: [];
}
