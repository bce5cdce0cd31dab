import {type CodeCandidate, findCandidates} from './candidates.js';
import {cellBreak, isBreak} from './html.js';
import {
	firstWord,
	has,
	hasNoWords,
	is,
	isOfOther,
	lastWord,
	type Name,
	type Passage,
	readPassage,
	type Word,
} from './names.js';

/** The end of a sentence: before a small letter it is that of an abbreviation. */
export const sentenceEnd = /[.!?؟](?:\s+(?!\p{Ll})|$)|[。！？।։]/gu;

/** Nothing but marks behind a colon. */
const endsInColon = /:[^\p{L}\p{N}]*$/u;

/** Whether the line does not go on in the next. */
function endsClosed(line: string): boolean {
	return /(?:^|[^\p{L}\p{M}\p{N}\s])$/u.test(line);
}

/** Whether what is between gap and rest belongs to a quoted title: `Your code to open "Offer 48213":`. */
function isInTitle(gap: string, rest: string): boolean {
	const open = gap.replace(/["“„«][^"“„”«»]*["”“»]/g, '');
	return (
		(/^[^"”“»]*["”“»]/.test(rest) && /["“„«][^"“„«\p{L}\p{N}]*[\p{L}\p{N}]/u.test(open)) ||
		(/^['’](?![\p{L}\p{N}])/u.test(rest) && /(?<![\p{L}\p{N}])['‘’]\p{L}[^'‘’]*$/u.test(gap))
	);
}

/** Where the sentence begins that the text does not end. */
export function endOfSentences(text: string): number {
	const last = [...text.matchAll(sentenceEnd)].at(-1);
	return last ? last.index + last[0].length : 0;
}

/** The label of a candidate that is a one-time code; undefined when the candidate is something else. */
export function labelOf(candidate: CodeCandidate, place: CodePlace): CodeLabel | undefined {
	const line = place.lines[place.index] ?? '';
	const finding =
		findInLine(candidate, place) ??
		(standsAlone(candidate, place)
			? findInOtherLines(candidate, place)
			: (findInSentenceBefore(candidate, line) ?? findInLineAbove(candidate, place)));
	return finding === 'other' ? undefined : finding;
}

function findInLine({start, end, value}: CodeCandidate, {lines, index, subject}: CodePlace): FoundLabel {
	const line = lines[index] ?? '';
	const before = `${lines[index - 1] ?? ''} ${line.slice(Math.max(0, start - reach), start)}`.slice(-reach);
	const after = `${line.slice(end, end + reach)} ${lines[index + 1] ?? ''}`.slice(0, reach);
	const sentenceStart = endOfSentences(before);
	const sentence = readPassage(before.slice(sentenceStart));
	const rest = readPassage(after.slice(0, after.search(sentenceEnd) + 1 || undefined));
	const unit = firstWord(rest, 'unit');
	const isAmount = lastWord(sentence, 'currency') || (unit && unit.start <= 1 && end + unit.start < line.length);
	if (isAmount || isRefused(rest)) {
		return 'other';
	}

	const isFirst = hasNoWords(sentence.text) || (hasNoWords(line.slice(0, start)) && endsClosed(lines[index - 1] ?? ''));
	return (
		findBefore(sentence, rest) ??
		findAfter(rest, isFirst) ??
		findAround(sentence, rest, value, `${subject} ${before.slice(0, sentenceStart)}`) ??
		findBeforeHere(sentence, rest, before.slice(0, sentenceStart).trim() || lineAbove(lines, index))
	);
}

/** Whether it is said of the code before that it counts no more: "482913 is invalid". */
function isRefused({names, words}: Passage): boolean {
	const refusal = words.find(word => is('refused', word));
	return refusal !== undefined && refusal.start <= 40 && !names.some(name => isFar(name) && name.start < refusal.start);
}

/** For a sentence that only points: "Need a code? Here it is: 482913". */
function findBeforeHere(sentence: Passage, rest: Passage, earlier: string): FoundLabel {
	const {text, names, words} = sentence;
	const pointer = words.find(word => is('here', word));
	const isLed = endsInColon.test(text) || (lastWord(sentence, 'is') && hasNoWords(rest.text));
	return pointer && names.length === 0 && isLed && text.length - pointer.end <= 30
		? findInWholeLine(earlier.slice(-reach), 'introduced')
		: undefined;
}

/** After a verb the subject of the sentence decides, which comes first; else the nearest name. */
function findBefore(sentence: Passage, rest: Passage): FoundLabel {
	const {text, names} = sentence;
	const copula = lastWord(sentence, 'is');
	if (copula) {
		if (lastWord(readPassage(text.slice(0, copula.start)), 'ref')) {
			return 'other';
		}

		const subject = names.find(isFar) ?? names.find(isPassword) ?? names[0];
		const closeness = closenessOf(text.slice(subject?.end, copula.start), 'introduced');
		return (
			subject &&
			(hasGone(sentence, subject, copula)
				? 'other'
				: isPassword(subject)
					? passwordLabel('introduced')
					: labelBy({...subject, isVague: subject.isVague && subject.kind !== 'pin'}, closeness))
		);
	}

	const name =
		names.findLast(found => isFar(found) || /^[ #]*$/.test(text.slice(found.end))) ?? names.findLast(isPassword);
	const gap = text.slice(name?.end);
	if (!name || /\d{4}|\d[ -]\d/.test(gap) || isInTitle(gap, rest.text)) {
		return undefined;
	}

	if (name.kind === 'number' && has('enter', sentence) && (has('verify', sentence) || has('verify', rest))) {
		return unnamed;
	}

	if (name.kind === 'general' && (gap.trim() === '' ? isOfOther(rest) : isForNumber(sentence, name))) {
		return 'other';
	}

	if (gap.trim() === '') {
		// As in "(Code QWERTZ)": without the brackets it could be the next word.
		const isInBrackets = text[name.start - 1] === '(' && rest.text.startsWith(')');
		return isInBrackets ? labelBy({...name, isVague: true}, 'adjacent') : labelBy(name, 'touching');
	}

	return endsInColon.test(gap)
		? labelBy(name, closenessOf(gap, 'introduced'), has('enter', sentence) || has('here', sentence))
		: hasGone(sentence, name)
			? 'other'
			: labelBy(name, closenessOf(gap, 'sentence'));
}

/** Whether it is told where the code went: "we sent the code to the number with the ending 4829". */
function isForNumber({text, names}: Passage, name: Name): boolean {
	return (
		!endsInColon.test(text) &&
		names.some(({kind, start, end}) => kind === 'number' && start >= name.end && !hasNoWords(text.slice(end)))
	);
}

/** Whether it is only told what became of the code: "your code was used at 1422". */
function hasGone({words}: Passage, name: Name, copula?: Word): boolean {
	const past = words.findLast(word => word !== copula && (is('gone', word) || is('enter', word)));
	return past !== undefined && is('gone', past) && past.start >= name.end && (!copula || past.end + 1 === copula.start);
}

/** Whether the name may stand far from its number. */
function isFar({kind}: Name): boolean {
	return kind !== 'thing' && kind !== 'number' && kind !== 'password';
}

function isPassword({kind}: Name): boolean {
	return kind === 'password';
}

function closenessOf(gap: string, otherwise: Closeness): Closeness {
	return hasNoWords(gap) ? 'adjacent' : otherwise;
}

function findAfter(rest: Passage, isFirst: boolean): FoundLabel {
	const {text, names} = rest;
	const name = names.find(isFar);
	const gap = text.slice(0, name?.start);
	if (name && /^[\s)*"'»”\]]*$/.test(gap)) {
		return labelBy(name, 'touching');
	}

	const isLinked = /^[\s)*"'»”\]]*[-:(]/.test(gap) || (firstWord(rest, 'is') !== undefined && !/\d{4}/.test(gap));
	if (!name || isLinked) {
		return name && labelBy(name, 'adjacent');
	}

	return isFirst && gap.length <= (has('is', rest) ? 60 : 30) && !/\d/.test(gap)
		? labelBy(name, 'sentence')
		: undefined;
}

function findAround(sentence: Passage, rest: Passage, value: string, earlier: string): FoundLabel {
	const isAskedFor =
		lastWord(sentence, 'enter') || (has('enter', sentence) && endsInColon.test(sentence.text) && hasNoWords(rest.text));
	// Where verbs come last, perhaps with a particle before. Short numbers may be versions: "using Firefox 1280".
	const isAskedForBehind = value.length > 5 && rest.words.some(word => is('enter', word) && word.start <= 3);
	const isForAccess = has('verify', sentence) || (isAskedFor && (firstWord(rest, 'to') || firstWord(rest, 'verify')));
	if ((isAskedFor || isAskedForBehind) && isForAccess) {
		return unnamed;
	}

	if (!/^\d{6,}$/.test(value) || sentence.names.some(isFar)) {
		return undefined;
	}

	const isGiven = lastWord(sentence, 'with') && has('verify', sentence);
	const isTimed = lastWord(sentence, 'is') && has('about', rest);
	const isLast = hasNoWords(rest.text);
	return (isLast && (isGiven || (isAskedFor && isAboutCodes(readPassage(earlier))))) ||
		((isTimed || isAskedForBehind) && readPassage(earlier).names.some(({kind}) => kind === 'strong'))
		? unnamed
		: undefined;
}

function isAboutCodes(passage: Passage): boolean {
	return has('verify', passage) || passage.names.some(({kind}) => kind === 'strong' || kind === 'general');
}

/** For a candidate that is a sentence of its own at the end of a line: "Use this code to log in. 482913". */
function findInSentenceBefore({start, end}: CodeCandidate, line: string): FoundLabel {
	const before = line.slice(Math.max(0, start - reach), start);
	const sentence = /^(.*)(?:[.!?؟] |[。！？։।] ?)$/.exec(before)?.[1];
	return sentence !== undefined && hasNoWords(line.slice(end, end + reach))
		? findInWholeLine(sentence.slice(endOfSentences(sentence)), 'introduced')
		: undefined;
}

/** Where a candidate is found. */
export type CodePlace = {readonly lines: readonly string[]; readonly index: number; readonly subject: string};

/**
 * How near the label is: with a colon or a verb between, with only a space, with more words but a colon or a verb at
 * their end, in the same sentence, on another line.
 */
export type Closeness =
	| 'adjacent'
	| 'touching'
	| 'introduced'
	| 'sentence'
	| 'lineBefore'
	| 'linesBefore'
	| 'lineAfter'
	| 'subject';

/** The label that says that a candidate is a one-time code: by a name of such codes alone, a general one, or "password". */
export type CodeLabel = {
	readonly kind: 'strong' | 'general' | 'password';
	readonly closeness: Closeness;
	/** Whether it may be the name of something else. */
	readonly isVague: boolean;
	/** Whether it is in a sentence that asks for the code and ends before it: "Enter this code to go on:". */
	readonly isAskedFor: boolean;
};

/** A candidate's label, `other` when it is the label of something that is not a one-time code. */
type FoundLabel = CodeLabel | 'other' | undefined;

/** Characters on either side of a candidate in which its label is looked for. */
export const reach = 120;

/** What is asked for without a name: "enter 482913 to log in". */
const unnamed: CodeLabel = {kind: 'general', closeness: 'introduced', isVague: false, isAskedFor: false};

/** Whether nothing else is on the line, and the line does not continue a number of the one above. */
export function standsAlone({start, end}: CodeCandidate, {lines, index}: CodePlace): boolean {
	const line = lines[index] ?? '';
	return line.length <= 40 && hasNoWords(line.slice(0, start) + line.slice(end)) && !/\d$/.test(lines[index - 1] ?? '');
}

/** The nearest line above that is not empty, in this paragraph or the one before. */
export function lineAbove(lines: readonly string[], index: number): string {
	return lines.slice(Math.max(0, index - 2), index).findLast(text => !isBreak(text)) ?? '';
}

/** For a candidate that begins its line: "Your code:", and in the next paragraph "482913 (valid for an hour)"; or "is". */
function findInLineAbove({start, end}: CodeCandidate, {lines, index}: CodePlace): FoundLabel {
	const line = lines[index] ?? '';
	const above = lineAbove(lines, index);
	if (!hasNoWords(line.slice(0, start))) {
		return undefined;
	}

	const ending = above.slice(-2 * reach);
	// Not the end of an address, as "com" is.
	const endsInVerb = /(?<!\S)[\p{L}\p{M}]+$/u.test(ending) && lastWord(readPassage(ending), 'is') !== undefined;
	const isLed = endsInVerb || endsInColon.test(ending) || /^ ?[-(|,.]/.test(line.slice(end));
	return isLed ? findInWholeLine(ending, 'lineBefore') : undefined;
}

/** For a candidate alone on its line. */
function findInOtherLines({shape, value}: CodeCandidate, {lines, index, subject}: CodePlace): FoundLabel {
	const above = lines.slice(Math.max(0, index - 10), index).filter(line => !/^(?:https?:\/\/\S*)?$/i.test(line.trim()));
	for (const [distance, line] of above.slice(-3).reverse().entries()) {
		const passage = readPassage(line.slice(-2 * reach));
		const finding =
			distance === 0
				? (findInPassage(passage, 'lineBefore') ?? findInWrapped(line, lines[lines.lastIndexOf(line, index - 1) - 1]))
				: findInPassage(passage, 'linesBefore');
		if (finding) {
			return finding;
		}

		if (
			distance === 0 &&
			/^\d{6,}$/.test(value) &&
			asksForIt(passage, [subject, ...above, ...lines.slice(index + 1, index + 3)])
		) {
			return {...unnamed, closeness: 'lineBefore'};
		}

		if (distance === 0 && (isOwnLabel(passage, lines[index - 1] === cellBreak) || isInAddress(lines, index))) {
			return 'other';
		}
	}

	const below = lines.slice(index + 1, index + 4).find(line => !isBreak(line)) ?? '';
	const isLabelItself = shape === 'letters' && lines[index + 1] === cellBreak;
	return (
		findInWholeLine(below.slice(0, reach), 'lineAfter') ??
		(isLabelItself ? undefined : findInWholeLine(subject, 'subject'))
	);
}

/** For a line that ends a sentence which asks for a code and began in the line above. */
function findInWrapped(line: string, start = ''): CodeLabel | undefined {
	const isEnding = endsInColon.test(line) && !/^\P{L}*\p{Lu}/u.test(line) && !endsClosed(start);
	const whole = isEnding ? readPassage(`${start} ${line}`.slice(-2 * reach)) : undefined;
	if (!whole || !has('enter', whole) || whole.names.some(({end}) => end > whole.text.length - line.length)) {
		return undefined;
	}

	const finding = findInPassage(whole, 'lineBefore');
	return finding === 'other' ? undefined : finding;
}

/**
 * Whether the line asks for a code with no other name for it than "number", where others are about access: "Now type in",
 * "Confirm by entering the number below".
 */
function asksForIt(passage: Passage, others: readonly string[]): boolean {
	const {text, names} = passage;
	const isForAccess = has('verify', passage);
	const isOnlyNumber =
		names.some(({kind}) => kind === 'number') && names.every(({kind}) => kind === 'number' || kind === 'thing');
	const isNumberBelow = isOnlyNumber && isForAccess && has('here', passage);
	const isUnnamed = names.length === 0 && (isForAccess || endsInColon.test(text));
	const isLed = has('enter', passage) && (isUnnamed || isNumberBelow);
	return (isLed || lastWord(passage, 'enter') !== undefined) && others.some(isAboutAccess);
}

function isAboutAccess(line: string): boolean {
	const passage = hasNoWords(line) ? undefined : readPassage(line.slice(0, 2 * reach));
	return passage !== undefined && (has('verify', passage) || has('about', passage));
}

/** Whether the line is between that of a street and another: "12 Harbour St". */
function isInAddress(lines: readonly string[], index: number): boolean {
	return /\d.*\p{L}$/u.test(lines[index - 1] ?? '') && !hasNoWords(lines[index + 1] ?? '');
}

/** Whether the line directly above says of what the number is, so that no other line does: "Customer". */
function isOwnLabel({text, names}: Passage, isBesideInRow: boolean): boolean {
	const words = text.split(' ').length;
	if (text.length > 40 || words > 4) {
		return false;
	}

	return (
		isBesideInRow ||
		(words < 4 && endsInColon.test(text)) ||
		(words < 3 && !/\d/.test(text) && names.some(({kind}) => kind === 'thing' || kind === 'number'))
	);
}

/** The line's best name, unless it belongs to another candidate on that line. */
function findInWholeLine(line: string, closeness: Closeness): FoundLabel {
	return findInPassage(readPassage(line), closeness);
}

function findInPassage(passage: Passage, closeness: Closeness): FoundLabel {
	const {text, names} = passage;
	if (lastWord(passage, 'ref')) {
		return 'other';
	}

	const name = (['strong', 'general', 'pin', 'other', 'password'] as const)
		.map(wanted => names.find(({kind}) => kind === wanted))
		.find(found => found !== undefined);
	if (!name || (name.kind === 'password' && !endsInColon.test(text))) {
		const asksForIt = endsInColon.test(text) && has('enter', passage) && has('verify', passage);
		return asksForIt ? {...unnamed, closeness} : undefined;
	}

	const isOfThing = (start: number) =>
		endsInColon.test(text) && names.some(({kind, end}) => !/strong|general|pin/.test(kind) && end + 1 === start);
	const isTaken = [...findCandidates(text)].some(
		other =>
			other.start >= name.end &&
			other.shape !== 'letters' &&
			!other.dateLike &&
			!isOfThing(other.start) &&
			!isInTitle(text.slice(name.end, other.start), text.slice(other.end)),
	);
	return isTaken ? undefined : labelBy(name, closeness, closeness === 'lineBefore' && has('enter', passage));
}

function labelBy({kind, isVague}: Name, closeness: Closeness, isAskedFor = false): FoundLabel {
	if (kind === 'password') {
		return closeness === 'adjacent' || closeness === 'touching' || closeness === 'lineBefore'
			? passwordLabel(closeness)
			: undefined;
	}

	if (kind === 'other' || kind === 'thing' || kind === 'number') {
		return 'other';
	}

	return {kind: kind === 'pin' ? 'general' : kind, closeness, isVague, isAskedFor};
}

function passwordLabel(closeness: Closeness): CodeLabel {
	return {kind: 'password', closeness, isVague: closeness !== 'introduced', isAskedFor: false};
}
