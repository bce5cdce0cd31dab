import {type Candidate, findCandidates} from './code-candidates.js';
import {commands, copulas, linksToLabel, purposes, units} from './code-context.js';
import {findLabels, type Label} from './find-labels.js';
import {alternatives} from './phrases.js';

/** Where a candidate stands. */
export type Place = {readonly lines: readonly string[]; readonly index: number; readonly subject: string};

/** How near the label is: with a colon or a verb between, with only a space, in the same sentence, on another line. */
export type Closeness = 'adjacent' | 'touching' | 'sentence' | 'lineBefore' | 'linesBefore' | 'lineAfter' | 'subject';

/** What connects a candidate with a label that announces a code. */
export type Tie = {readonly label: 'strong' | 'general'; readonly closeness: Closeness};

/** A candidate's label, `other` when it is the label of something that is not a one-time code. */
type Finding = Tie | 'other' | undefined;

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

/** The tie of the candidate to the label that decides what it is; undefined when that is no one-time code. */
export function tieOf(candidate: Candidate, place: Place): Tie | undefined {
	const line = place.lines[place.index] ?? '';
	if (unitAtStart.test(line.slice(candidate.end, candidate.end + 20))) {
		return undefined;
	}

	const finding = findInLine(candidate, place) ?? (standsAlone(candidate, place) ? findInOtherLines(place) : undefined);
	return finding === 'other' ? undefined : finding;
}

/** Whether nothing else is on the line, and the line does not go on a number of the one above. */
export function standsAlone({start, end}: Candidate, {lines, index}: Place): boolean {
	const line = lines[index] ?? '';
	return (
		line.length <= 40 &&
		!/[\p{L}\p{N}]/u.test(line.slice(0, start) + line.slice(end)) &&
		!/\d$/.test(lines[index - 1] ?? '')
	);
}

function findInLine({start, end}: Candidate, {lines, index}: Place): Finding {
	const line = lines[index] ?? '';
	const before = `${lines[index - 1] ?? ''} ${line.slice(Math.max(0, start - reach), start)}`.slice(-reach);
	const after = `${line.slice(end, end + reach)} ${lines[index + 1] ?? ''}`.slice(0, reach);
	return findBefore(before) ?? findAfter(after) ?? findAround(before, after);
}

/** After a verb the subject of the sentence decides, which comes first; else the nearest label. */
function findBefore(before: string): Finding {
	const sentence = before.slice(endOfSentences(before));
	const labels = findLabels(sentence);
	if (copulaAtEnd.test(sentence)) {
		return labels[0] && tieTo(labels[0], closenessOf(sentence.slice(labels[0].end)));
	}

	const label = labels.findLast(({kind, end}) => kind !== 'thing' || /^[ #]*$/.test(sentence.slice(end)));
	const gap = sentence.slice(label?.end);
	return label && !/\d{4}|\d[ -]\d/.test(gap) ? tieTo(label, closenessOf(gap)) : undefined;
}

function closenessOf(gap: string): Closeness {
	return gap.trim() === '' ? 'touching' : noWords.test(gap) ? 'adjacent' : 'sentence';
}

function findAfter(after: string): Finding {
	const label = linkAtStart.test(after) ? findLabels(after).find(({kind}) => kind !== 'thing') : undefined;
	return label && endOfSentences(after.slice(0, label.start)) === 0 ? tieTo(label, 'adjacent') : undefined;
}

function findAround(before: string, after: string): Finding {
	return commandAtEnd.test(before) && purposeAtStart.test(after)
		? {label: 'general', closeness: 'sentence'}
		: undefined;
}

function findInOtherLines({lines, index, subject}: Place): Finding {
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

/** The line's best label, unless a candidate in the line has it already. */
function findInWholeLine(line: string, closeness: Closeness): Finding {
	const labels = findLabels(line);
	const label = (['strong', 'general', 'other'] as const)
		.map(wanted => labels.find(({kind}) => kind === wanted))
		.find(found => found !== undefined);
	const isTaken =
		label &&
		[...findCandidates(line)].some(other => other.start >= label.end && other.shape !== 'letters' && !other.dateLike);
	return label && !isTaken ? tieTo(label, closeness) : undefined;
}

function endOfSentences(text: string): number {
	const last = [...text.matchAll(sentenceEnd)].at(-1);
	return last ? last.index + last[0].length : 0;
}

function tieTo({kind}: Label, closeness: Closeness): Finding {
	return kind === 'strong' || kind === 'general' ? {label: kind, closeness} : 'other';
}
