import {type CodeCandidate, findCandidates} from './code-candidates.js';
import {has, hasNoWords, lastWord, type Name, type Passage, readPassage} from './code-names.js';
import {cellBreak, isBreak} from './read-html.js';
import {endsClosed, endsInColon, isInTitle} from './sentences.js';

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
export type FoundLabel = CodeLabel | 'other' | undefined;

/** Characters on either side of a candidate in which its label is looked for. */
export const reach = 120;

/** What is asked for without a name: "enter 482913 to log in". */
export const unnamed: CodeLabel = {kind: 'general', closeness: 'introduced', isVague: false, isAskedFor: false};

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
export function findInLineAbove({start, end}: CodeCandidate, {lines, index}: CodePlace): FoundLabel {
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
export function findInOtherLines({shape, value}: CodeCandidate, {lines, index, subject}: CodePlace): FoundLabel {
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
export function findInWholeLine(line: string, closeness: Closeness): FoundLabel {
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

export function labelBy({kind, isVague}: Name, closeness: Closeness, isAskedFor = false): FoundLabel {
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

export function passwordLabel(closeness: Closeness): CodeLabel {
	return {kind: 'password', closeness, isVague: closeness !== 'introduced', isAskedFor: false};
}
