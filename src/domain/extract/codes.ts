import {normalizeSpace} from '../../lib/text/html.js';
import {maxScannedLength} from '../../lib/text/links.js';
import {type CodeCandidate, findCandidates, isName} from './candidates.js';
import {type Html, isBreak} from './html.js';
import {
	type Closeness,
	type CodeLabel,
	type CodePlace,
	findLabel,
	lastSentenceStart,
	lineAbove,
	reach,
	sentenceEnd,
	standsAlone,
} from './labels.js';
import {hasNoWords, isKind, readPassage, type Word} from './names.js';
import type {WordKind} from './vocabulary.js';

/** Maximum number of candidates per body. A mail with more is a list of numbers. */
const maxCandidates = 500;

/** Minimum score of a code. */
const minScore = 4;

/** Maximum distance to the score of the best candidate. */
const tolerance = 2;

/** Positions of a label that make even an arbitrary token (`6b.kp30drVyA`) a code. */
const nearby: ReadonlySet<Closeness> = new Set(['adjacent', 'introduced', 'lineBefore']);

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
 * Returns the one-time codes of a mail, best first. A code has 4 to 12 letters and digits, and a label in one of about eighty
 * languages near it ("Your code is …"). Directly after its label it may be longer or more unusual; `findCandidates` describes these
 * forms. The returned value is what a person types: without spaces, and without dashes between digits (`12-34-56` is `123456`,
 * `XK4-P9T` keeps its dash).
 *
 * A word without digits in the subject ("Your code: QWERTZ") counts only if no body has a code or contains that word,
 * because names look the same. Codes that are visible in the HTML rank before hidden ones. Reads the first 512 KiB of each body.
 */
export function extractCodes(mail: {subject: string; text: string; html: Html}): readonly string[] {
	const subject = asciiDigits(normalizeSpace(mail.subject.slice(0, 1000)));
	const htmlLines = withAsciiDigits(mail.html.lines);
	const subjectCandidates = [...candidatesOf([subject], subject)];
	const numbers = subjectCandidates.filter(hasDigit);
	const inHtml = (lines: readonly string[]) =>
		codesOf([...numbers, ...candidatesOf(joinGroups(joinCells(lines)), subject)]);
	const htmlCodes = inHtml(htmlLines);
	if (htmlCodes.length > 0) {
		const visibleLines = withAsciiDigits(mail.html.visibleLines());
		return visibleLines.join('\n') === htmlLines.join('\n') ? htmlCodes : visibleFirst(htmlCodes, inHtml(visibleLines));
	}

	const textLines = textLinesOf(mail.text);
	const textCodes = codesOf(candidatesOf(textLines, subject));
	if (textCodes.length > 0) {
		return textCodes;
	}

	const word = codesOf(subjectCandidates.filter(placed => !hasDigit(placed)))[0];
	const isInBody = word !== undefined && [...htmlLines, ...textLines].some(line => line.includes(word));
	return word === undefined || isInBody ? [] : [word];
}

/** Sorts visible codes first. If the best code is hidden, adds the visible ones that scored too low beside it. */
function visibleFirst(all: readonly string[], visible: readonly string[]): readonly string[] {
	const [best = ''] = all;
	const codes = visible.includes(best) ? all : [...new Set([...visible, ...all])];
	return [...codes.filter(code => visible.includes(code)), ...codes.filter(code => !visible.includes(code))];
}

/** A candidate and its position. */
type Placed = {readonly candidate: CodeCandidate; readonly place: CodePlace};

function hasDigit({candidate}: Placed): boolean {
	return /\d/.test(candidate.value);
}

function withAsciiDigits(lines: readonly string[]): readonly string[] {
	return asciiDigits(lines.join('\n')).split('\n');
}

/** Returns the normalized lines of a plain text. Paragraphs are separated by `''`. */
function textLinesOf(text: string): readonly string[] {
	return asciiDigits(text.slice(0, maxScannedLength))
		.split(/\r\n|\r|\n/)
		.map(normalizeSpace);
}

/** Returns the values of the candidates that score high enough, best first. */
function codesOf(candidates: Iterable<Placed>): readonly string[] {
	const scores = new Map<string, number>();
	const hasWord = createHasWord();
	for (const {candidate, place} of candidates) {
		const score = codeScore(candidate, place, hasWord);
		scores.set(candidate.value, Math.max(score, scores.get(candidate.value) ?? score));
	}

	const ranked = [...scores].filter(([, score]) => score >= minScore).sort(([, one], [, other]) => other - one);
	const best = ranked[0]?.[1] ?? 0;
	return ranked.filter(([, score]) => score >= best - tolerance).map(([code]) => code);
}

/** Yields the first candidates of a body. */
function* candidatesOf(lines: readonly string[], subject: string): Generator<Placed> {
	let remaining = maxCandidates;
	for (const [index, line] of lines.entries()) {
		for (const candidate of findCandidates(line)) {
			if (remaining-- === 0) {
				return;
			}

			yield {candidate, place: {lines, index, subject}};
		}
	}
}

/** Returns how likely the candidate is a one-time code, from about 0 to 9; minus infinity without a label. */
function codeScore(candidate: CodeCandidate, place: CodePlace, hasWord: HasWord): number {
	const {shape, value, lower, dateLike} = candidate;
	const label = findLabel(candidate, place);
	const alone = standsAlone(candidate, place);
	if (!label || !fitsLabel(candidate, label, place) || (!alone && couldBeWord(candidate, label.closeness))) {
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
		(label.kind === 'strong'
			? tripScore(candidate, label, place, hasWord)
			: contextScore(candidate, label, place, hasWord))
	);
}

/** False if the form of the candidate contradicts its label. */
function fitsLabel(candidate: CodeCandidate, {kind, closeness}: CodeLabel, {lines, index}: CodePlace): boolean {
	const {shape, value, start, end} = candidate;
	const line = lines[index] ?? '';
	// `#4829` is usually the number of an issue or an order.
	if (
		line[start - 1] === '#' &&
		(kind !== 'strong' || !/^(?:lineBefore|touching)$/.test(closeness) || /[.!?]$/.test(lineAbove(lines, index)))
	) {
		return false;
	}

	// A phone number: `123 4567`.
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
			? nearby.has(closeness) || closeness === 'touching' || closeness === 'lineAfter'
			: kind === 'general' && nearby.has(closeness);
	}

	return kind !== 'password' || shape === 'digits';
}

/** True if a candidate among other words may be an ordinary word: "Your code REALLY matters", "the code in node18". */
function couldBeWord({shape, lower, value, start}: CodeCandidate, closeness: Closeness): boolean {
	// Letters and digits mixed, unlike "node18" or "version2".
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
	coupon: -3,
};

/** Returns negative points for a "confirmation code" with letters in a mail about a journey: it belongs to a booking. */
function tripScore({shape}: CodeCandidate, {isVague}: CodeLabel, place: CodePlace, hasWord: HasWord): number {
	const isOfTrip = isVague && shape !== 'digits';
	return isOfTrip && [place.subject, ...linesAround(place, 6)].some(text => hasWord(text, ['trip']))
		? contextPoints.trip
		: 0;
}

/** Returns negative points for words around a candidate whose label may belong to something else ("code", "password"). */
function contextScore(candidate: CodeCandidate, label: CodeLabel, place: CodePlace, hasWord: HasWord): number {
	const {shape, start, end} = candidate;
	const line = place.lines[place.index] ?? '';
	const before = line.slice(Math.max(0, start - reach), start);
	const alone = standsAlone(candidate, place);
	const near = alone ? linesAround(place, 2) : [before + line.slice(end, end + reach)];
	const isInShop = near.some(text => hasWord(text, ['offer']));
	const isInCart = (alone ? [lineAbove(place.lines, place.index)] : near).some(text => hasWord(text, ['cart']));
	const isCertain =
		(label.closeness === 'adjacent' && !label.isVague) ||
		(label.isAskedFor && !isInShop) ||
		(label.kind === 'password' && !label.isVague);
	const sentence = sentenceAround(candidate, line);
	const isForAccess = hasWord(sentence, ['verify']);
	const isDeal = hasPercentage(sentence) || (alone && hasPercentage(lineAbove(place.lines, place.index)));
	const isAboutAccess = [place.subject, ...linesAround(place, 6)].some(text => hasWord(text, ['verify', 'about']));
	return (
		(isInCart
			? contextPoints.cart
			: (isDeal && !isForAccess) || (shape !== 'digits' && isInShop)
				? contextPoints.shopping
				: 0) +
		(!isForAccess && hasWord(sentence, ['parcel']) ? contextPoints.parcel : 0) +
		(shape === 'mixed' && looksLikeCoupon(candidate.value) ? contextPoints.coupon : 0) +
		(hasWord(before.replace(/https?:\/\/[!-~]+/gi, ''), ['failure']) ? contextPoints.failure : 0) +
		(isCertain || isAboutAccess ? 0 : contextPoints.noAccess + (label.isVague ? contextPoints.vague : 0))
	);
}

/** Returns the sentence around the candidate, as far as it is on its line. */
function sentenceAround({start, end}: CodeCandidate, line: string): string {
	const before = line.slice(Math.max(0, start - reach), start);
	const after = line.slice(end, end + reach);
	return before.slice(lastSentenceStart(before)) + after.slice(0, after.search(sentenceEnd) + 1 || undefined);
}

/** True if the text has a percentage, as discounts do: `10 %`. */
function hasPercentage(text: string): boolean {
	return /\d ?[%٪]|[%٪] ?\d/.test(text);
}

/** True for a word and a number, the form of coupon codes: `SPRING25`. */
function looksLikeCoupon(value: string): boolean {
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

/** Returns true if a text has a word of one of the kinds. */
type HasWord = (text: string, kinds: readonly WordKind[]) => boolean;

/** Caches the words of each text, because neighbouring candidates share most of their lines. */
function createHasWord(): HasWord {
	const cache = new Map<string, readonly Word[]>();
	return (text, kinds) => {
		const words = cache.get(text) ?? readPassage(text).words;
		cache.set(text, words);
		return words.some(word => kinds.some(kind => isKind(word, kind)));
	};
}

/** Joins a code with one character per table cell. */
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

/** Joins a code of six digits with two or three digits per table cell. */
function joinGroups(lines: readonly string[]): readonly string[] {
	const isGroup = (line = '') => (line.length === 2 || line.length === 3) && /^\d+$/.test(line);
	if (!lines.some(isGroup)) {
		return lines;
	}

	// Cells and `cellBreak` lines alternate.
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

/** First code point of a digit outside ASCII. */
const firstOther = 0x660;
const zero = 0x30;

/** Replaces the decimal digits of all scripts by ASCII digits: `٤٨٢٩١٣` becomes `482913`. */
export function asciiDigits(text: string): string {
	if (!otherDigit.test(text)) {
		return text;
	}

	const values = new Map<number, number | undefined>();
	const cachedValue = (codePoint: number): number | undefined => {
		if (!values.has(codePoint)) {
			values.set(codePoint, digitValue(codePoint));
		}

		return values.get(codePoint);
	};
	// A loop over UTF-16 units is much faster than a replacer function if there are many digits.
	const units = new Uint16Array(text.length);
	let length = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		const codePoint = unit < firstOther ? unit : (text.codePointAt(at) ?? unit);
		const value = codePoint < firstOther ? undefined : cachedValue(codePoint);
		units[length++] = value === undefined ? unit : zero + value;
		at += value !== undefined && codePoint > 0xffff ? 1 : 0;
	}

	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

/** Returns the value of a digit; undefined for other characters. In Unicode the digits of a script are consecutive, from 0 to 9. */
function digitValue(codePoint: number): number | undefined {
	let first = codePoint;
	while (/\p{Nd}/u.test(String.fromCodePoint(first))) {
		first -= 1;
	}

	return first === codePoint ? undefined : (codePoint - first - 1) % 10;
}
