import {type CodeCandidate, findCandidates} from './code-candidates.js';
import {commands, copulas, linksToLabel, purposes, units} from './words/code-context.js';
import {generalLabels, numberedThings, otherLabels, strongLabels} from './words/code-labels.js';
import {alternatives, isUnspaced} from './words/phrases.js';

/** Where a candidate is found. */
export type CodePlace = {readonly lines: readonly string[]; readonly index: number; readonly subject: string};

/** How near the label is: with a colon or a verb between, with only a space, in the same sentence, on another line. */
export type Closeness = 'adjacent' | 'touching' | 'sentence' | 'lineBefore' | 'linesBefore' | 'lineAfter' | 'subject';

/** The label that says that a candidate is a one-time code: by a name of such codes alone, or by a general one. */
export type CodeLabel = {readonly kind: 'strong' | 'general'; readonly closeness: Closeness};

/** A candidate's label, `other` when it is the label of something that is not a one-time code. */
type Finding = CodeLabel | 'other' | undefined;

/** A name in a text. `strong` and `general` ones announce a one-time code, `other` and `thing` another number. */
type Name = {readonly kind: 'strong' | 'general' | 'other' | 'thing'; readonly start: number; readonly end: number};

/** Characters on either side of a candidate in which its label is looked for. */
export const reach = 120;

const copula = alternatives(copulas);
const noWords = new RegExp(`^[^\\p{L}\\p{N}]*(?:(?:${copula})[^\\p{L}\\p{N}]*)?$`, 'iu');
const copulaAtEnd = new RegExp(`(?<!\\p{L})(?:${copula})[^\\p{L}\\p{N}]*$`, 'iu');
const linkAtStart = new RegExp(`^[\\s)*"'»”]*(?:${alternatives([...copulas, ...linksToLabel])})(?![a-z])`, 'iu');
const unitAtStart = new RegExp(`^[ -]?(?:${alternatives(units)})(?:s|n|e|en|i)?(?!\\p{Script=Latin})`, 'iu');
const commandAtEnd = new RegExp(`(?<!\\p{L})(?:${alternatives(commands)})[^\\p{L}\\p{N}]*$`, 'iu');
const purposeAtStart = new RegExp(`^[^\\p{L}\\p{N}.]*(?:${alternatives(purposes)})(?!\\p{L})`, 'iu');
const sentenceEnd = /[.!?](?:\s|$)|[。！？]/g;

/** The label of a candidate that is a one-time code; undefined when the candidate is something else. */
export function labelOf(candidate: CodeCandidate, place: CodePlace): CodeLabel | undefined {
	const line = place.lines[place.index] ?? '';
	if (unitAtStart.test(line.slice(candidate.end, candidate.end + 20))) {
		return undefined;
	}

	const finding = findInLine(candidate, place) ?? (standsAlone(candidate, place) ? findInOtherLines(place) : undefined);
	return finding === 'other' ? undefined : finding;
}

/** Whether nothing else is on the line, and the line does not continue a number of the one above. */
export function standsAlone({start, end}: CodeCandidate, {lines, index}: CodePlace): boolean {
	const line = lines[index] ?? '';
	return (
		line.length <= 40 &&
		!/[\p{L}\p{N}]/u.test(line.slice(0, start) + line.slice(end)) &&
		!/\d$/.test(lines[index - 1] ?? '')
	);
}

function findInLine({start, end}: CodeCandidate, {lines, index}: CodePlace): Finding {
	const line = lines[index] ?? '';
	const before = `${lines[index - 1] ?? ''} ${line.slice(Math.max(0, start - reach), start)}`.slice(-reach);
	const after = `${line.slice(end, end + reach)} ${lines[index + 1] ?? ''}`.slice(0, reach);
	return findBefore(before) ?? findAfter(after) ?? findAround(before, after);
}

/** After a verb the subject of the sentence decides, which comes first; else the nearest name. */
function findBefore(before: string): Finding {
	const sentence = before.slice(endOfSentences(before));
	const names = findNames(sentence);
	if (copulaAtEnd.test(sentence)) {
		return names[0] && labelBy(names[0], closenessOf(sentence.slice(names[0].end)));
	}

	const name = names.findLast(({kind, end}) => kind !== 'thing' || /^[ #]*$/.test(sentence.slice(end)));
	const gap = sentence.slice(name?.end);
	return name && !/\d{4}|\d[ -]\d/.test(gap) ? labelBy(name, closenessOf(gap)) : undefined;
}

function closenessOf(gap: string): Closeness {
	return gap.trim() === '' ? 'touching' : noWords.test(gap) ? 'adjacent' : 'sentence';
}

function findAfter(after: string): Finding {
	const name = linkAtStart.test(after) ? findNames(after).find(({kind}) => kind !== 'thing') : undefined;
	return name && endOfSentences(after.slice(0, name.start)) === 0 ? labelBy(name, 'adjacent') : undefined;
}

function findAround(before: string, after: string): Finding {
	return commandAtEnd.test(before) && purposeAtStart.test(after) ? {kind: 'general', closeness: 'sentence'} : undefined;
}

function findInOtherLines({lines, index, subject}: CodePlace): Finding {
	const above = lines.slice(Math.max(0, index - 10), index).filter(line => line !== '');
	for (const [distance, line] of above.slice(-3).reverse().entries()) {
		const finding = findInWholeLine(line.slice(-2 * reach), distance === 0 ? 'lineBefore' : 'linesBefore');
		if (finding) {
			return finding;
		}
	}

	const below = lines.slice(index + 1, index + 4).find(line => line !== '') ?? '';
	return findInWholeLine(below.slice(0, reach), 'lineAfter') ?? findInWholeLine(subject, 'subject');
}

/** The line's best name, unless it belongs to another candidate on that line. */
function findInWholeLine(line: string, closeness: Closeness): Finding {
	const names = findNames(line);
	const name = (['strong', 'general', 'other'] as const)
		.map(wanted => names.find(({kind}) => kind === wanted))
		.find(found => found !== undefined);
	const isTaken =
		name &&
		[...findCandidates(line)].some(other => other.start >= name.end && other.shape !== 'letters' && !other.dateLike);
	return name && !isTaken ? labelBy(name, closeness) : undefined;
}

function endOfSentences(text: string): number {
	const last = [...text.matchAll(sentenceEnd)].at(-1);
	return last ? last.index + last[0].length : 0;
}

function labelBy({kind}: Name, closeness: Closeness): Finding {
	return kind === 'strong' || kind === 'general' ? {kind, closeness} : 'other';
}

const namesByKind = {
	general: generalLabels,
	strong: strongLabels,
	thing: numberedThings,
	other: otherLabels,
} as const;

const kindOf = new Map(
	Object.entries(namesByKind).flatMap(([kind, names]) => names.map(name => [keyOf(name), kind as Name['kind']])),
);

const namePattern = patternOf(Object.values(namesByKind).flat());

/** All names in the text, from left to right; where several begin, the longest. */
function findNames(text: string): readonly Name[] {
	return [...text.matchAll(namePattern)].map(({0: name, index}) => ({
		kind: kindOf.get(keyOf(name)) ?? 'other',
		start: index,
		end: index + name.length,
	}));
}

function keyOf(phrase: string): string {
	return phrase.toLowerCase().replace(/[ ~-]/g, '');
}

function patternOf(list: readonly string[]): RegExp {
	const unspaced = list.filter(isUnspaced);
	const endings = list.filter(phrase => phrase.startsWith('~')).map(phrase => phrase.slice(1));
	const words = list.filter(phrase => !isUnspaced(phrase) && !phrase.startsWith('~'));
	return new RegExp(
		`(?:${alternatives(unspaced)}|(?:(?<![\\p{L}\\p{N}])(?:${alternatives(words)})|${alternatives(endings)})(?![\\p{L}\\p{N}]))`,
		'giu',
	);
}
