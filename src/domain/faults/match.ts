import type {FaultMatch} from '../../contract/faults.js';
import {containing, containingAny} from '../../lib/text/find-text.js';
import type {NamedRegex} from '../mail/filter.js';
import {parsePattern, readRegex} from '../mail/pattern.js';

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
	const tests = plainPatternsIn(match).map(({name, text}) => ({name, isIn: containing(text)}));
	return texts => tests.every(({name, isIn}) => texts[name].some(isIn));
}

/** Tells of texts in lower case whether they may fit any of these as `plainTest` says, so that most are compared only once. */
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

/** Whether the texts fit the regular expressions. They may take long: not on the thread that others wait for. */
export function fitsRegexes(match: FaultMatch, texts: MatchTexts): boolean {
	return patternsIn(match)
		.filter(({name, text}) => readRegex(text, name))
		.every(({name, text}) => {
			const pattern = parsePattern(text);
			return texts[name].some(value => pattern.test(value));
		});
}

/** Those that are no regular expressions, in lower case. */
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
