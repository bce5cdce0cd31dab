import {findings, matches} from '../../../contract/constants.js';
import type {MessageFilter} from '../../../contract/messages.js';
import {sanitizeLine} from '../../../lib/sanitize.js';

/** What a list is filtered by. */
export type ListFilter = MessageFilter & {
	/** What its address asks for besides that no filter takes, as it stands there. */
	readonly wrong?: ReadonlyArray<readonly [name: string, value: string]> | undefined;
};

/** What is wrong with a filter, and with which of its fields; undefined for none in particular. */
export type FilterProblem = {readonly field: string | undefined; readonly message: string};

/** The parts of a filter that are a text each, that may be given more than once, and that take some words only. */
const texts = ['q', 'subject', 'from', 'to', 'contains', 'smtp_user', 'after'] as const;
const lists: readonly string[] = ['header', 'link', 'has'];
const words = new Map<string, readonly string[]>([
	['has', findings],
	['match', matches],
	['tls', ['true', 'false']],
]);

const names: readonly string[] = [...new Set([...texts, ...lists, ...words.keys()])];

/** Wrong names that are told of, and characters of each that are shown. */
const maxTold = 5;
const maxLength = 100;

/** The filter of an address. What is empty asks for nothing. */
export function filterOfQuery(query: URLSearchParams): ListFilter {
	const given = [...query].filter(([name, value]) => name !== 'tab' && value !== '');
	const isTaken = (name: string) => {
		const values = given.filter(each => each[0] === name).map(([, value]) => value);
		const isAmongWords = values.every(value => words.get(name)?.includes(value) ?? true);
		return names.includes(name) && isAmongWords && (values.length === 1 || lists.includes(name));
	};
	const wrong = given.filter(([name]) => !isTaken(name));
	const taken = new URLSearchParams(given.filter(([name]) => isTaken(name)));
	const [header, link] = [taken.getAll('header'), taken.getAll('link')];
	const has = findings.filter(finding => taken.getAll('has').includes(finding));
	const match = matches.find(match => match === taken.get('match'));
	const tls = taken.get('tls');
	return {
		...Object.fromEntries(texts.flatMap(name => (taken.has(name) ? [[name, taken.get(name)]] : []))),
		...(header.length > 0 && {header}),
		...(link.length > 0 && {link}),
		...(has.length > 0 && {has}),
		...(match && {match}),
		...(tls !== null && {tls: tls === 'true'}),
		...(wrong.length > 0 && {wrong}),
	};
}

export function queryOfFilter({wrong = [], ...filter}: ListFilter): URLSearchParams {
	const query = new URLSearchParams();
	for (const [name, value = ''] of Object.entries(filter)) {
		for (const each of [value].flat()) {
			query.append(name, String(each));
		}
	}

	for (const [name, value] of wrong) {
		query.append(name, value);
	}

	return query;
}

/** What is wrong with what the address asks for, and what it takes instead; undefined when nothing is. */
export function filterProblem({wrong = []}: ListFilter): FilterProblem | undefined {
	const [first, ...others] = new Set(wrong.map(([name]) => name));
	return first === undefined
		? undefined
		: {field: first, message: [first, ...others].slice(0, maxTold).map(sentenceOf).join(' ')};
}

function sentenceOf(name: string): string {
	const quoted = `"${sanitizeLine(name.slice(0, maxLength))}"`;
	const taken = words.get(name)?.map(word => `"${word}"`);
	return names.includes(name)
		? `${quoted} must be ${taken?.join(' or ') ?? 'a single value'}.`
		: `Unknown filter ${quoted}. Supported: ${names.join(', ')}.`;
}
