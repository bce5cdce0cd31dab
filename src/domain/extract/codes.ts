import {normalizeSpace} from '../../lib/html.js';
import {maxInput} from '../../lib/max-input.js';
import {type CodeCandidate, findCandidates, isName} from './candidates.js';
import {type Html, isBreak} from './html.js';
import {
	type Closeness,
	type CodeLabel,
	type CodePlace,
	endOfSentences,
	labelOf,
	lineAbove,
	reach,
	sentenceEnd,
	standsAlone,
} from './labels.js';
import {hasNoWords, is, readPassage, type Word} from './names.js';
import type {Column} from './words/columns.js';

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

const contextPoints = {
	shopping: -4,
	cart: -6,
	parcel: -4,
	failure: -4,
	noAccess: -3,
	vague: -1,
	trip: -6,
	worded: -3,
};

/** What speaks against a confirmation code: it may be that of a booking. */
function tripScore({shape}: CodeCandidate, {isVague}: CodeLabel, place: CodePlace, says: Says): number {
	const isOfTrip = isVague && shape !== 'digits';
	return isOfTrip && [place.subject, ...linesAround(place, 6)].some(text => says(text, ['trip']))
		? contextPoints.trip
		: 0;
}

/** What the words around a candidate say against it when its label could be that of something else. */
function contextScore(candidate: CodeCandidate, label: CodeLabel, place: CodePlace, says: Says): number {
	const {shape, start, end} = candidate;
	const line = place.lines[place.index] ?? '';
	const before = line.slice(Math.max(0, start - reach), start);
	const alone = standsAlone(candidate, place);
	const near = alone ? linesAround(place, 2) : [before + line.slice(end, end + reach)];
	const isInShop = near.some(text => says(text, ['offer']));
	const isInCart = (alone ? [lineAbove(place.lines, place.index)] : near).some(text => says(text, ['cart']));
	const isCertain =
		(label.closeness === 'adjacent' && !label.isVague) ||
		(label.isAskedFor && !isInShop) ||
		(label.kind === 'password' && !label.isVague);
	const sentence = sentenceAround(candidate, line);
	const isForAccess = says(sentence, ['verify']);
	const isDeal = isPriceCut(sentence) || (alone && isPriceCut(lineAbove(place.lines, place.index)));
	const isAboutAccess = [place.subject, ...linesAround(place, 6)].some(text => says(text, ['verify', 'about']));
	return (
		(isInCart
			? contextPoints.cart
			: (isDeal && !isForAccess) || (shape !== 'digits' && isInShop)
				? contextPoints.shopping
				: 0) +
		(!isForAccess && says(sentence, ['parcel']) ? contextPoints.parcel : 0) +
		(shape === 'mixed' && isWorded(candidate.value) ? contextPoints.worded : 0) +
		(says(before.replace(/https?:\/\/[!-~]+/gi, ''), ['failure']) ? contextPoints.failure : 0) +
		(isCertain || isAboutAccess ? 0 : contextPoints.noAccess + (label.isVague ? contextPoints.vague : 0))
	);
}

/** The sentence of the candidate's line in which it stands. */
function sentenceAround({start, end}: CodeCandidate, line: string): string {
	const before = line.slice(Math.max(0, start - reach), start);
	const after = line.slice(end, end + reach);
	return before.slice(endOfSentences(before)) + after.slice(0, after.search(sentenceEnd) + 1 || undefined);
}

/** Whether it is said how much cheaper something gets: `10 %`. */
function isPriceCut(text: string): boolean {
	return /\d ?[%٪]|[%٪] ?\d/.test(text);
}

/** Whether it is a word and a number, as shops give away: `SPRING25`. */
function isWorded(value: string): boolean {
	return (
		/^(?=.*[AEIOUY])(?:(?![AEIOUY]{3}|[^AEIOUY]{4})[A-Z]){4,}\d[05]$/.test(value) ||
		/^(?=.*[AEIOUY])(?:(?![AEIOUY]{3}|[B-DF-HJ-NP-TV-XZ]{3})[A-Z])+(?:(?<=[A-Z]{4})\d{2,3}|(?<=[A-Z]{6})\d)$/.test(
			value,
		)
	);
}

function linesAround({lines, index}: CodePlace, distance: number): readonly string[] {
	const around = lines.slice(Math.max(0, index - distance), index + distance + 1);
	return around.map(line => line.slice(0, 2 * reach));
}

/** Whether a text has a word of one of the kinds. */
type Says = (text: string, kinds: readonly Column[]) => boolean;

/** Reads each text once: candidates that stand together have most of their lines in common. */
function createReader(): Says {
	const read = new Map<string, readonly Word[]>();
	return (text, kinds) => {
		const words = read.get(text) ?? readPassage(text).words;
		read.set(text, words);
		return words.some(word => kinds.some(kind => is(kind, word)));
	};
}

/** Puts a code back together that is laid out with one character per table cell. */
function joinCells(lines: readonly string[]): readonly string[] {
	const joined: string[] = [];
	let cells = false;
	for (const line of lines) {
		const isCell = /^[A-Za-z\d]$/.test(line);
		if (isCell && cells) {
			joined.push(`${joined.pop()} ${line}`);
		} else if (!cells || !isBreak(line)) {
			joined.push(line);
		}

		cells = isCell || (cells && isBreak(line));
	}

	return joined;
}

/** Puts a code of six digits back together that is laid out with two or three digits per table cell. */
function joinGroups(lines: readonly string[]): readonly string[] {
	const isGroup = (line = '') => (line.length === 2 || line.length === 3) && /^\d+$/.test(line);
	if (!lines.some(isGroup)) {
		return lines;
	}

	const joined = [...lines];
	for (let at = 0; at < lines.length; at += 1) {
		let run = isGroup(lines[at]) ? 1 : 0;
		const isNextCell = (next: number) =>
			run > 0 && isBreak(lines[next - 1] ?? '') && lines[next]?.length === lines[at]?.length && isGroup(lines[next]);
		while (isNextCell(at + 2 * run)) {
			run += 1;
		}

		if (run * (lines[at]?.length ?? 0) === 6) {
			joined[at] = [0, 2, 4]
				.map(step => (step < 2 * run ? lines[at + step] : ''))
				.join(' ')
				.trim();
			joined.fill('', at + 1, at + 2 * run - 1);
		}

		at += Math.max(0, 2 * run - 2);
	}

	return joined;
}

const otherDigit = /[^\P{Nd}0-9]/u;

/** The least of the digits that are not ASCII. */
const firstOther = 0x660;
const zero = 0x30;

/** The text with the decimal digits of all scripts as ASCII digits: `٤٨٢٩١٣` is `482913`. Other characters stay as they are. */
export function asciiDigits(text: string): string {
	if (!otherDigit.test(text)) {
		return text;
	}

	const values = new Map<number, number | undefined>();
	const known = (codePoint: number): number | undefined => {
		if (!values.has(codePoint)) {
			values.set(codePoint, digitValue(codePoint));
		}

		return values.get(codePoint);
	};
	// Unit by unit: there may be very many digits, and each call of a replacer has its price.
	const units = new Uint16Array(text.length);
	let length = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		const codePoint = unit < firstOther ? unit : (text.codePointAt(at) ?? unit);
		const value = codePoint < firstOther ? undefined : known(codePoint);
		units[length++] = value === undefined ? unit : zero + value;
		at += value !== undefined && codePoint > 0xffff ? 1 : 0;
	}

	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

/** Undefined for what is no digit. Unicode keeps the ten digits of a script together, from zero to nine. */
function digitValue(codePoint: number): number | undefined {
	let first = codePoint;
	while (/\p{Nd}/u.test(String.fromCodePoint(first))) {
		first -= 1;
	}

	return first === codePoint ? undefined : (codePoint - first - 1) % 10;
}
