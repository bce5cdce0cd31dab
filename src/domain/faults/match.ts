import type {FaultMatch} from '../../contract/faults.js';
import {containing, containingAny} from '../../lib/text/find-text.js';
import type {NamedRegex} from '../mail/filter.js';
import {parsePattern, readRegex} from '../mail/pattern.js';

export const matchFields = ['from', 'to', 'subject', 'user'] as const satisfies ReadonlyArray<keyof FaultMatch>;

/** Texts of an event that faults are compared with. */
export type MatchTexts = Readonly<Record<(typeof matchFields)[number], readonly string[]>>;

/** Returns the regular expressions among the patterns, which are matched in a worker. Throws `invalid_input` like `readRegex`. */
export function regexesIn(match: FaultMatch | null): readonly NamedRegex[] {
	return patternsIn(match).flatMap(({name, text}) => {
		const field = `match.${name}`;
		return readRegex(text, field) ? [{field, text}] : [];
	});
}

/** Returns a test of lower-case texts against all patterns that are no regular expressions. */
export function plainTest(match: FaultMatch | null): (texts: MatchTexts) => boolean {
	const tests = plainPatternsIn(match).map(({name, text}) => ({name, isIn: containing(text)}));
	return texts => tests.every(({name, isIn}) => texts[name].some(isIn));
}

/**
 * Returns a test that is false if none of the matches can pass its `plainTest`. It lets callers skip most faults with one
 * comparison.
 */
export function plainTestOfAny(matches: ReadonlyArray<FaultMatch | null>): (texts: MatchTexts) => boolean {
	const needed = matches.map(match => plainPatternsIn(match)[0]).filter(pattern => pattern !== undefined);
	if (needed.length < matches.length) {
		return () => true;
	}

	const tests = matchFields
		.map(name => ({name, needles: needed.filter(pattern => pattern.name === name).map(({text}) => text)}))
		.filter(({needles}) => needles.length > 0)
		.map(({name, needles}) => ({name, isIn: containingAny(needles)}));
	return texts => tests.some(({name, isIn}) => texts[name].some(isIn));
}

/** True if the texts match the regular expressions. May take long: run it in a worker. */
export function matchesRegexes(match: FaultMatch, texts: MatchTexts): boolean {
	return patternsIn(match)
		.filter(({name, text}) => readRegex(text, name))
		.every(({name, text}) => {
			const pattern = parsePattern(text);
			return texts[name].some(value => pattern.test(value));
		});
}

/** Returns the patterns that are no regular expressions, in lower case. */
function plainPatternsIn(match: FaultMatch | null) {
	return patternsIn(match)
		.filter(({name, text}) => !readRegex(text, name))
		.map(({name, text}) => ({name, text: text.toLowerCase()}));
}

function patternsIn(match: FaultMatch | null) {
	return matchFields.flatMap(name => {
		const text = match?.[name];
		return text === undefined ? [] : [{name, text}];
	});
}
