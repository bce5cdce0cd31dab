import type {FaultMatch} from '../contract/faults.js';
import {containing} from '../lib/find-text.js';
import type {NamedRegex} from './filter.js';
import {parsePattern, readRegex} from './pattern.js';

export const matchFields = ['from', 'to', 'subject', 'user'] as const satisfies ReadonlyArray<keyof FaultMatch>;

/** What an occasion has to compare. */
export type MatchTexts = Readonly<Record<(typeof matchFields)[number], readonly string[]>>;

/** The regular expressions among the patterns, which take a thread of their own. Throws `invalid_input` as `readRegex`. */
export function regexesIn(match: FaultMatch | null): readonly NamedRegex[] {
	return patternsIn(match).flatMap(({name, text}) => {
		const field = `match.${name}`;
		return readRegex(text, field) ? [{field, text}] : [];
	});
}

/** Tells of texts in lower case whether they fit all other patterns. */
export function plainTest(match: FaultMatch | null): (texts: MatchTexts) => boolean {
	const tests = patternsIn(match)
		.filter(({name, text}) => !readRegex(text, name))
		.map(({name, text}) => ({name, isIn: containing(text.toLowerCase())}));
	return texts => tests.every(({name, isIn}) => texts[name].some(isIn));
}

/** Whether the texts fit the regular expressions. They may take long: not on the thread that others wait for. */
export function fitsRegexes(match: FaultMatch, texts: MatchTexts): boolean {
	return patternsIn(match)
		.filter(({name, text}) => readRegex(text, name))
		.every(({name, text}) => {
			const pattern = parsePattern(text);
			return texts[name].some(value => pattern.test(value));
		});
}

function patternsIn(match: FaultMatch | null) {
	return matchFields.flatMap(name => {
		const text = match?.[name];
		return text === undefined ? [] : [{name, text}];
	});
}
