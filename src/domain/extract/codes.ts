import {maxInput, normalizeSpace} from '../../lib/html.js';
import {type CodeCandidate, findCandidates} from './code-candidates.js';
import {type Closeness, type CodePlace, labelOf, reach, standsAlone} from './code-labels.js';
import {readHtml} from './read-html.js';
import {accessWords, failureWords, shoppingWords} from './words/code-context.js';
import {beginningsOf} from './words/phrases.js';

/** Candidates of one body that are judged. A mail with more is a list of numbers. */
const maxCandidates = 500;

/** The score from which a candidate is taken for a code. */
const enough = 4;

/** How far below the best candidate another one may be. */
const tolerance = 2;

const points = {
	label: {strong: 3, general: 2},
	closeness: {adjacent: 3, touching: 3, sentence: 2, lineBefore: 3, linesBefore: 1, lineAfter: 1, subject: 1},
	shape: {digits: 1, mixed: 1, letters: -1},
	sixDigits: 1,
	alone: 1,
	lower: -1,
	date: -3,
	labelledDate: -1,
	shopping: -4,
	failure: -4,
	noAccess: -3,
};

const shopping = beginningsOf(shoppingWords);
const access = beginningsOf(accessWords);
const failure = beginningsOf(failureWords);

/**
 * The one-time codes of a mail, best first; empty when there is none. A code has 4 to 10 letters and digits and a
 * label in one of some twenty languages near it. Its value is what a person types: spaces are left out, and so are
 * dashes between digits (`12-34-56` is `123456`); dashes in a code with letters are part of it (`XK4-P9T`).
 * Only the first 512 KiB of each body count.
 */
export function extractCodes(mail: {subject: string; text: string; html: string}): readonly string[] {
	const subject = normalizeSpace(mail.subject.slice(0, 1000));
	const found = codesOf([[subject], joinCells(readHtml(mail.html).lines)], subject);
	return found.length > 0 ? found : codesOf([linesOf(mail.text)], subject);
}

/** The normalized lines of a plain text; a paragraph ends with `''`. */
function linesOf(text: string): readonly string[] {
	return text
		.slice(0, maxInput)
		.split(/\r\n|\r|\n/)
		.map(normalizeSpace);
}

/** Puts a code back together that is laid out with one character per table cell. */
function joinCells(lines: readonly string[]): readonly string[] {
	const joined: string[] = [];
	let cells = false;
	for (const line of lines) {
		const isCell = /^[A-Za-z\d]$/.test(line);
		if (isCell && cells) {
			joined.push(`${joined.pop()} ${line}`);
		} else if (!cells || line !== '') {
			joined.push(line);
		}

		cells = isCell || (cells && line === '');
	}

	return joined;
}

function codesOf(bodies: readonly (readonly string[])[], subject: string): readonly string[] {
	const scores = new Map<string, number>();
	for (const lines of bodies) {
		for (const {candidate, index} of candidatesOf(lines)) {
			const score = codeScore(candidate, {lines, index, subject});
			scores.set(candidate.value, Math.max(score, scores.get(candidate.value) ?? score));
		}
	}

	const ranked = [...scores].filter(([, score]) => score >= enough).sort(([, one], [, other]) => other - one);
	const best = ranked[0]?.[1] ?? 0;
	return ranked.filter(([, score]) => score >= best - tolerance).map(([code]) => code);
}

/** The first candidates of a body, found as they are needed. */
function* candidatesOf(lines: readonly string[]): Generator<{candidate: CodeCandidate; index: number}> {
	let left = maxCandidates;
	for (const [index, line] of lines.entries()) {
		for (const candidate of findCandidates(line)) {
			if (left-- === 0) {
				return;
			}

			yield {candidate, index};
		}
	}
}

/** How likely the candidate is a one-time code, from about 0 to 9; minus infinity without a label. */
function codeScore(candidate: CodeCandidate, place: CodePlace): number {
	const {shape, value, lower, dateLike} = candidate;
	const label = labelOf(candidate, place);
	const alone = standsAlone(candidate, place);
	if (!label || (!alone && couldBeWord(candidate, label.closeness))) {
		return Number.NEGATIVE_INFINITY;
	}

	const isLabelled = label.closeness === 'adjacent' || label.closeness === 'touching';
	return (
		points.label[label.kind] +
		points.closeness[label.closeness] +
		points.shape[shape] +
		(shape === 'digits' && value.length === 6 ? points.sixDigits : 0) +
		(alone ? points.alone : 0) +
		(lower ? points.lower : 0) +
		(dateLike ? (isLabelled ? points.labelledDate : points.date) : 0) +
		(label.kind === 'general' ? contextScore(candidate, label.closeness, place) : 0)
	);
}

/** Whether a candidate among other words may just be the next word of a sentence. */
function couldBeWord({shape, lower}: CodeCandidate, closeness: Closeness): boolean {
	return closeness !== 'adjacent' && (shape === 'letters' || (lower && closeness !== 'touching'));
}

/** What the words around a candidate say against it when its label could be that of something else. */
function contextScore(candidate: CodeCandidate, closeness: Closeness, place: CodePlace): number {
	const {shape, start, end} = candidate;
	const line = place.lines[place.index] ?? '';
	const before = line.slice(Math.max(0, start - reach), start);
	const near = standsAlone(candidate, place) ? linesAround(place, 2) : before + line.slice(end, end + reach);
	const isAboutAccess = access.test(`${place.subject} ${linesAround(place, 6)}`);
	return (
		(shape !== 'digits' && shopping.test(near) ? points.shopping : 0) +
		(failure.test(before) ? points.failure : 0) +
		(closeness === 'adjacent' || isAboutAccess ? 0 : points.noAccess)
	);
}

function linesAround({lines, index}: CodePlace, distance: number): string {
	const around = lines.slice(Math.max(0, index - distance), index + distance + 1);
	return around.map(line => line.slice(0, 2 * reach)).join(' ');
}
