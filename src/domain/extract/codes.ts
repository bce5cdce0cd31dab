import {normalizeSpace} from '../../lib/html.js';
import {maxInput} from '../../lib/max-input.js';
import {asciiDigits} from './ascii-digits.js';
import {type CodeCandidate, findCandidates} from './code-candidates.js';
import {contextScore, createReader, type Says, tripScore} from './code-context.js';
import {labelOf} from './code-labels.js';
import {hasNoWords} from './code-names.js';
import {type Closeness, type CodeLabel, type CodePlace, lineAbove, standsAlone} from './line-labels.js';
import {isName} from './opaque-candidate.js';
import type {Html} from './read-html.js';
import {joinCells, joinGroups} from './split-codes.js';

/** Candidates of one body that are judged. A mail with more is a list of numbers. */
const maxCandidates = 500;

/** The score from which a candidate is taken for a code. */
const enough = 4;

/** How far below the best candidate another one may be. */
const tolerance = 2;

/** Where the label of a candidate must be that could be anything. */
const closest: ReadonlySet<Closeness> = new Set(['adjacent', 'introduced', 'lineBefore']);

const points = {
	label: {strong: 3, general: 2, password: 1},
	closeness: {
		adjacent: 3,
		touching: 3,
		introduced: 3,
		sentence: 2,
		lineBefore: 3,
		linesBefore: 1,
		lineAfter: 1,
		subject: 1,
	},
	shape: {digits: 1, mixed: 1, letters: -1, opaque: 1},
	sixDigits: 1,
	alone: 1,
	lower: -1,
	date: -3,
	labelledDate: -1,
};

/**
 * The one-time codes of a mail, best first; empty when there is none. A code has 4 to 12 letters and digits and a
 * label in one of some eighty languages near it. Right behind its label it may have up to 32 of mixed case
 * (`sfp6NkRKk9Syqaci`), at the end of a line also with marks between (`6b.kp30drVyA`), and 16 in groups alone on a line
 * (`1ng8r9 6ccq73`). Its value is what a person types: spaces are left out, and so are dashes between digits (`12-34-56`
 * is `123456`); dashes in a code with letters are part of it (`XK4-P9T`).
 * A word of the subject without digits is one only where the bodies neither have a code nor say that word, as they say
 * names. What readers of the HTML see comes before what is hidden from them. Only the first 512 KiB of each body count.
 */
export function extractCodes(mail: {subject: string; text: string; html: Html}): readonly string[] {
	const subject = asciiDigits(normalizeSpace(mail.subject.slice(0, 1000)));
	const htmlLines = withAsciiDigits(mail.html.lines);
	const ofSubject = [...candidatesOf([subject], subject)];
	const numbers = ofSubject.filter(hasDigit);
	const inHtml = (lines: readonly string[]) =>
		codesOf([...numbers, ...candidatesOf(joinGroups(joinCells(lines)), subject)]);
	const found = inHtml(htmlLines);
	if (found.length > 0) {
		const shownLines = withAsciiDigits(mail.html.shownLines());
		return shownLines.join('\n') === htmlLines.join('\n') ? found : shownFirst(found, inHtml(shownLines));
	}

	const textLines = linesOf(mail.text);
	const ofText = codesOf(candidatesOf(textLines, subject));
	if (ofText.length > 0) {
		return ofText;
	}

	const word = codesOf(ofSubject.filter(placed => !hasDigit(placed)))[0];
	const isSaid = word !== undefined && [...htmlLines, ...textLines].some(line => line.includes(word));
	return word === undefined || isSaid ? [] : [word];
}

/** The codes of HTML, those first that its readers see: where the best one is hidden, also those that were not good enough beside it. */
function shownFirst(found: readonly string[], shown: readonly string[]): readonly string[] {
	const [best = ''] = found;
	const all = shown.includes(best) ? found : [...new Set([...shown, ...found])];
	return [...all.filter(code => shown.includes(code)), ...all.filter(code => !shown.includes(code))];
}

/** A candidate and where it stands. */
type Placed = {readonly candidate: CodeCandidate; readonly place: CodePlace};

function hasDigit({candidate}: Placed): boolean {
	return /\d/.test(candidate.value);
}

function withAsciiDigits(lines: readonly string[]): readonly string[] {
	return asciiDigits(lines.join('\n')).split('\n');
}

/** The normalized lines of a plain text; a paragraph ends with `''`. */
function linesOf(text: string): readonly string[] {
	return asciiDigits(text.slice(0, maxInput))
		.split(/\r\n|\r|\n/)
		.map(normalizeSpace);
}

function codesOf(candidates: Iterable<Placed>): readonly string[] {
	const scores = new Map<string, number>();
	const says = createReader();
	for (const {candidate, place} of candidates) {
		const score = codeScore(candidate, place, says);
		scores.set(candidate.value, Math.max(score, scores.get(candidate.value) ?? score));
	}

	const ranked = [...scores].filter(([, score]) => score >= enough).sort(([, one], [, other]) => other - one);
	const best = ranked[0]?.[1] ?? 0;
	return ranked.filter(([, score]) => score >= best - tolerance).map(([code]) => code);
}

/** The first candidates of a body, found as they are needed. */
function* candidatesOf(lines: readonly string[], subject: string): Generator<Placed> {
	let left = maxCandidates;
	for (const [index, line] of lines.entries()) {
		for (const candidate of findCandidates(line)) {
			if (left-- === 0) {
				return;
			}

			yield {candidate, place: {lines, index, subject}};
		}
	}
}

/** How likely the candidate is a one-time code, from about 0 to 9; minus infinity without a label. */
function codeScore(candidate: CodeCandidate, place: CodePlace, says: Says): number {
	const {shape, value, lower, dateLike} = candidate;
	const label = labelOf(candidate, place);
	const alone = standsAlone(candidate, place);
	if (!label || !fits(candidate, label, place) || (!alone && couldBeWord(candidate, label.closeness))) {
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
		(label.kind === 'strong' ? tripScore(candidate, label, place, says) : contextScore(candidate, label, place, says))
	);
}

/** Whether a candidate may be what the label says. */
function fits(candidate: CodeCandidate, {kind, closeness}: CodeLabel, {lines, index}: CodePlace): boolean {
	const {shape, value, start, end} = candidate;
	const line = lines[index] ?? '';
	if (
		line[start - 1] === '#' &&
		(kind !== 'strong' || !/^(?:lineBefore|touching)$/.test(closeness) || /[.!?]$/.test(lineAbove(lines, index)))
	) {
		return false;
	}

	// As phone numbers are written: `123 4567`.
	if (
		shape === 'digits' &&
		value.length === 7 &&
		end - start === 8 &&
		(kind !== 'strong' || closeness !== 'adjacent')
	) {
		return false;
	}

	if (shape === 'opaque' && !hasNoWords(line.slice(end))) {
		return kind === 'strong' && /^(?:adjacent|introduced|touching)$/.test(closeness);
	}

	if (shape === 'opaque') {
		return kind === 'strong'
			? closest.has(closeness) || closeness === 'touching' || closeness === 'lineAfter'
			: kind === 'general' && closest.has(closeness);
	}

	return kind !== 'password' || shape === 'digits';
}

/** Whether a candidate among other words may just be the next word of a sentence. */
function couldBeWord({shape, lower, value, start}: CodeCandidate, closeness: Closeness): boolean {
	// Not as "node18" or "version2".
	const isMixedUp =
		(closeness === 'introduced' && !/^(?:[A-Za-z][a-z]+|v)\d+$/.test(value) && !isName(value.replace(/\d+$/, ''))) ||
		(closeness === 'sentence' && start === 0 && /\d[a-z]+\d|[a-z]\d+[a-z]/i.test(value));
	return closeness !== 'adjacent' && (shape === 'letters' || (lower && closeness !== 'touching' && !isMixedUp));
}
