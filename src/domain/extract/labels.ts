import {type CodeCandidate, findCandidates} from './candidates.js';
import {cellBreak, isBreak} from './html.js';
import {
	belongsToOther,
	firstWord,
	hasNoWords,
	hasWord,
	isKind,
	lastWord,
	type Name,
	type Passage,
	readPassage,
	type Word,
} from './names.js';

/** Position of a candidate: its line in the body, and the subject of the mail. */
export type CodePlace = {readonly lines: readonly string[]; readonly index: number; readonly subject: string};

/** Position of a label relative to its candidate. */
export type Closeness =
	/** Only a colon or a verb between: "Your code is 482913". */
	| 'adjacent'
	/** Only a space between: "code 482913". */
	| 'touching'
	/** More words between that end in a colon or a verb: "Your code for the app is: 482913". */
	| 'introduced'
	/** Elsewhere in the same sentence: "Use the code in the app within 5 minutes, 482913". */
	| 'sentence'
	| 'lineBefore'
	/** Two or three lines before. */
	| 'linesBefore'
	| 'lineAfter'
	| 'subject';

/** Name near a candidate that makes it a one-time code. `kind` has the same meaning as in `Name`. */
export type CodeLabel = {
	readonly kind: 'strong' | 'general' | 'password';
	readonly closeness: Closeness;
	/** True if it may be the name of something else. */
	readonly isVague: boolean;
	/** True if the sentence asks for the code and ends before it: "Enter this code to continue:". */
	readonly isAskedFor: boolean;
};

/** Result of a search for a label: `other` if the candidate is something else, undefined if there is no label. */
type Finding = CodeLabel | 'other' | undefined;

/** Characters before and after a candidate that are searched for its label. */
export const reach = 120;

/** Label of a code that is asked for without a name: "Enter 482913 to log in". */
const unnamed: CodeLabel = {kind: 'general', closeness: 'introduced', isVague: false, isAskedFor: false};

/** Returns the label that makes a candidate a one-time code; undefined if there is none, or the candidate is something else. */
export function findLabel(candidate: CodeCandidate, place: CodePlace): CodeLabel | undefined {
	const line = place.lines[place.index] ?? '';
	const finding =
		findInLine(candidate, place) ??
		(standsAlone(candidate, place)
			? findInOtherLines(candidate, place)
			: (findInSentenceBefore(candidate, line) ?? findInLineAbove(candidate, place)));
	return finding === 'other' ? undefined : finding;
}

/** Searches the sentence of the candidate, including its parts on the lines before and after. */
function findInLine({start, end, value}: CodeCandidate, {lines, index, subject}: CodePlace): Finding {
	const line = lines[index] ?? '';
	const before = `${lines[index - 1] ?? ''} ${line.slice(Math.max(0, start - reach), start)}`.slice(-reach);
	const after = `${line.slice(end, end + reach)} ${lines[index + 1] ?? ''}`.slice(0, reach);
	const sentenceStart = lastSentenceStart(before);
	const sentence = readPassage(before.slice(sentenceStart));
	const rest = readPassage(after.slice(0, after.search(sentenceEnd) + 1 || undefined));
	const unit = firstWord(rest, 'unit');
	const isAmount = lastWord(sentence, 'currency') || (unit && unit.start <= 1 && end + unit.start < line.length);
	if (isAmount || isRejected(rest)) {
		return 'other';
	}

	const isFirst = hasNoWords(sentence.text) || (hasNoWords(line.slice(0, start)) && endsInMark(lines[index - 1] ?? ''));
	return (
		findBefore(sentence, rest) ??
		findAfter(rest, isFirst) ??
		findUnnamed(sentence, rest, value, `${subject} ${before.slice(0, sentenceStart)}`) ??
		findBeforePointer(sentence, rest, before.slice(0, sentenceStart).trim() || lineAbove(lines, index))
	);
}

/** True if the text after the candidate rejects it: "482913 is invalid". */
function isRejected({names, words}: Passage): boolean {
	const refusal = words.find(word => isKind(word, 'refused'));
	return (
		refusal !== undefined && refusal.start <= 40 && !names.some(name => mayBeFar(name) && name.start < refusal.start)
	);
}

/** Searches the sentence before one that only points to the code: "Need a code? Here it is: 482913". */
function findBeforePointer(sentence: Passage, rest: Passage, earlier: string): Finding {
	const {text, names, words} = sentence;
	const pointer = words.find(word => isKind(word, 'here'));
	const isLed = endsInColon.test(text) || (lastWord(sentence, 'is') && hasNoWords(rest.text));
	return pointer && names.length === 0 && isLed && text.length - pointer.end <= 30
		? findInWholeLine(earlier.slice(-reach), 'introduced')
		: undefined;
}

/**
 * Searches the sentence before the candidate. If it ends in a verb, its first name counts, which is the subject
 * ("The code for your account is 482913"); otherwise the nearest name ("Order confirmed, code 482913").
 */
function findBefore(sentence: Passage, rest: Passage): Finding {
	const {text, names} = sentence;
	const copula = lastWord(sentence, 'is');
	if (copula) {
		if (lastWord(readPassage(text.slice(0, copula.start)), 'ref')) {
			return 'other';
		}

		const subject = names.find(mayBeFar) ?? names.find(isPassword) ?? names[0];
		const closeness = closenessOf(text.slice(subject?.end, copula.start), 'introduced');
		return (
			subject &&
			(reportsPastUse(sentence, subject, copula)
				? 'other'
				: isPassword(subject)
					? passwordLabel('introduced')
					: toLabel({...subject, isVague: subject.isVague && subject.kind !== 'pin'}, closeness))
		);
	}

	const name =
		names.findLast(candidate => mayBeFar(candidate) || /^[ #]*$/.test(text.slice(candidate.end))) ??
		names.findLast(isPassword);
	const gap = text.slice(name?.end);
	if (!name || /\d{4}|\d[ -]\d/.test(gap) || isInTitle(gap, rest.text)) {
		return undefined;
	}

	if (
		name.kind === 'number' &&
		hasWord(sentence, 'enter') &&
		(hasWord(sentence, 'verify') || hasWord(rest, 'verify'))
	) {
		return unnamed;
	}

	if (name.kind === 'general' && (gap.trim() === '' ? belongsToOther(rest) : isPhoneEnding(sentence, name))) {
		return 'other';
	}

	if (gap.trim() === '') {
		// "(Code QWERTZ)": without the brackets, QWERTZ could be the next word of the sentence.
		const isInBrackets = text[name.start - 1] === '(' && rest.text.startsWith(')');
		return isInBrackets ? toLabel({...name, isVague: true}, 'adjacent') : toLabel(name, 'touching');
	}

	return endsInColon.test(gap)
		? toLabel(name, closenessOf(gap, 'introduced'), hasWord(sentence, 'enter') || hasWord(sentence, 'here'))
		: reportsPastUse(sentence, name)
			? 'other'
			: toLabel(name, closenessOf(gap, 'sentence'));
}

/** True if the candidate is part of a phone number: "we sent the code to the number with the ending 4829". */
function isPhoneEnding({text, names}: Passage, name: Name): boolean {
	return (
		!endsInColon.test(text) &&
		names.some(({kind, start, end}) => kind === 'number' && start >= name.end && !hasNoWords(text.slice(end)))
	);
}

/** True if the sentence reports what happened to the code: "your code was used at 1422". */
function reportsPastUse({words}: Passage, name: Name, copula?: Word): boolean {
	const past = words.findLast(word => word !== copula && (isKind(word, 'gone') || isKind(word, 'enter')));
	return (
		past !== undefined && isKind(past, 'gone') && past.start >= name.end && (!copula || past.end + 1 === copula.start)
	);
}

/** True if other words may be between the name and its number. */
function mayBeFar({kind}: Name): boolean {
	return kind !== 'thing' && kind !== 'number' && kind !== 'password';
}

function isPassword({kind}: Name): boolean {
	return kind === 'password';
}

function closenessOf(gap: string, otherwise: Closeness): Closeness {
	return hasNoWords(gap) ? 'adjacent' : otherwise;
}

/** Searches the text after the candidate: "482913 is your code". `isFirst`: nothing is before the candidate. */
function findAfter(rest: Passage, isFirst: boolean): Finding {
	const {text, names} = rest;
	const name = names.find(mayBeFar);
	const gap = text.slice(0, name?.start);
	if (name && /^[\s)*"'»”\]]*$/.test(gap)) {
		return toLabel(name, 'touching');
	}

	const isLinked = /^[\s)*"'»”\]]*[-:(]/.test(gap) || (firstWord(rest, 'is') !== undefined && !/\d{4}/.test(gap));
	if (!name || isLinked) {
		return name && toLabel(name, 'adjacent');
	}

	return isFirst && gap.length <= (hasWord(rest, 'is') ? 60 : 30) && !/\d/.test(gap)
		? toLabel(name, 'sentence')
		: undefined;
}

/**
 * Recognises codes without a name: "Enter 482913 to log in", "Log in with 482913", "It is 482913 and expires soon".
 * `earlier` is the subject and the text before the sentence.
 */
function findUnnamed(sentence: Passage, rest: Passage, value: string, earlier: string): Finding {
	const isAskedFor =
		lastWord(sentence, 'enter') ||
		(hasWord(sentence, 'enter') && endsInColon.test(sentence.text) && hasNoWords(rest.text));
	// For languages with the verb at the end, perhaps after a particle. Short numbers may be versions: "using Firefox 1280".
	const isAskedForAfter = value.length > 5 && rest.words.some(word => isKind(word, 'enter') && word.start <= 3);
	const isForAccess =
		hasWord(sentence, 'verify') || (isAskedFor && (firstWord(rest, 'to') || firstWord(rest, 'verify')));
	if ((isAskedFor || isAskedForAfter) && isForAccess) {
		return unnamed;
	}

	if (!/^\d{6,}$/.test(value) || sentence.names.some(mayBeFar)) {
		return undefined;
	}

	const isGiven = lastWord(sentence, 'with') && hasWord(sentence, 'verify');
	const isTimed = lastWord(sentence, 'is') && hasWord(rest, 'about');
	const isLast = hasNoWords(rest.text);
	return (isLast && (isGiven || (isAskedFor && isAboutCodes(readPassage(earlier))))) ||
		((isTimed || isAskedForAfter) && readPassage(earlier).names.some(({kind}) => kind === 'strong'))
		? unnamed
		: undefined;
}

function isAboutCodes(passage: Passage): boolean {
	return hasWord(passage, 'verify') || passage.names.some(({kind}) => kind === 'strong' || kind === 'general');
}

/** Searches the sentence before a candidate that ends its line: "Use this code to log in. 482913". */
function findInSentenceBefore({start, end}: CodeCandidate, line: string): Finding {
	const before = line.slice(Math.max(0, start - reach), start);
	const sentence = /^(.*)(?:[.!?؟] |[。！？։।] ?)$/.exec(before)?.[1];
	return sentence !== undefined && hasNoWords(line.slice(end, end + reach))
		? findInWholeLine(sentence.slice(lastSentenceStart(sentence)), 'introduced')
		: undefined;
}

/** True if the candidate is alone on its line, and the line does not continue a number of the line above. */
export function standsAlone({start, end}: CodeCandidate, {lines, index}: CodePlace): boolean {
	const line = lines[index] ?? '';
	return line.length <= 40 && hasNoWords(line.slice(0, start) + line.slice(end)) && !/\d$/.test(lines[index - 1] ?? '');
}

/** Returns the nearest line above that is not empty, in this paragraph or the one before; `''` if there is none. */
export function lineAbove(lines: readonly string[], index: number): string {
	return lines.slice(Math.max(0, index - 2), index).findLast(text => !isBreak(text)) ?? '';
}

/** Searches the line above a candidate that begins its line: "Your code:" (or "Your code is"), then "482913 (valid for an hour)". */
function findInLineAbove({start, end}: CodeCandidate, {lines, index}: CodePlace): Finding {
	const line = lines[index] ?? '';
	const above = lineAbove(lines, index);
	if (!hasNoWords(line.slice(0, start))) {
		return undefined;
	}

	const ending = above.slice(-2 * reach);
	// The last word must not be the end of an address, such as "com".
	const endsInVerb = /(?<!\S)[\p{L}\p{M}]+$/u.test(ending) && lastWord(readPassage(ending), 'is') !== undefined;
	const isLed = endsInVerb || endsInColon.test(ending) || /^ ?[-(|,.]/.test(line.slice(end));
	return isLed ? findInWholeLine(ending, 'lineBefore') : undefined;
}

/** Searches the three lines above, the line below and the subject for a candidate that is alone on its line. */
function findInOtherLines({shape, value}: CodeCandidate, {lines, index, subject}: CodePlace): Finding {
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
			asksForUnnamedCode(passage, [subject, ...above, ...lines.slice(index + 1, index + 3)])
		) {
			return {...unnamed, closeness: 'lineBefore'};
		}

		if (distance === 0 && (namesOtherNumber(passage, lines[index - 1] === cellBreak) || isInAddress(lines, index))) {
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

/** Searches a sentence that asks for a code and is wrapped over two lines. `line` is its end. */
function findInWrapped(line: string, start = ''): CodeLabel | undefined {
	const isEnding = endsInColon.test(line) && !/^\P{L}*\p{Lu}/u.test(line) && !endsInMark(start);
	const whole = isEnding ? readPassage(`${start} ${line}`.slice(-2 * reach)) : undefined;
	if (!whole || !hasWord(whole, 'enter') || whole.names.some(({end}) => end > whole.text.length - line.length)) {
		return undefined;
	}

	const finding = findInPassage(whole, 'lineBefore');
	return finding === 'other' ? undefined : finding;
}

/**
 * True if the line asks for a code without naming it, or as "number", and another line is about access: "Now type in",
 * "Confirm by entering the number below".
 */
function asksForUnnamedCode(passage: Passage, others: readonly string[]): boolean {
	const {text, names} = passage;
	const isForAccess = hasWord(passage, 'verify');
	const isOnlyNumber =
		names.some(({kind}) => kind === 'number') && names.every(({kind}) => kind === 'number' || kind === 'thing');
	const isNumberBelow = isOnlyNumber && isForAccess && hasWord(passage, 'here');
	const isUnnamed = names.length === 0 && (isForAccess || endsInColon.test(text));
	const isLed = hasWord(passage, 'enter') && (isUnnamed || isNumberBelow);
	return (isLed || lastWord(passage, 'enter') !== undefined) && others.some(isAboutAccess);
}

function isAboutAccess(line: string): boolean {
	const passage = hasNoWords(line) ? undefined : readPassage(line.slice(0, 2 * reach));
	return passage !== undefined && (hasWord(passage, 'verify') || hasWord(passage, 'about'));
}

/** True if the line is a ZIP code in a postal address: the line above is a street ("12 Harbour St"), and a line follows. */
function isInAddress(lines: readonly string[], index: number): boolean {
	return /\d.*\p{L}$/u.test(lines[index - 1] ?? '') && !hasNoWords(lines[index + 1] ?? '');
}

/** True if the line directly above labels the number as something else ("Customer"), so that no other line is searched. */
function namesOtherNumber({text, names}: Passage, isBesideInRow: boolean): boolean {
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

function findInWholeLine(line: string, closeness: Closeness): Finding {
	return findInPassage(readPassage(line), closeness);
}

/**
 * Returns the best name of a passage, unless another candidate in it has the name: "Your code: 123456" is no label of
 * 482913.
 */
function findInPassage(passage: Passage, closeness: Closeness): Finding {
	const {text, names} = passage;
	if (lastWord(passage, 'ref')) {
		return 'other';
	}

	const name = (['strong', 'general', 'pin', 'other', 'password'] as const)
		.map(wanted => names.find(({kind}) => kind === wanted))
		.find(best => best !== undefined);
	if (!name || (name.kind === 'password' && !endsInColon.test(text))) {
		const isRequest = endsInColon.test(text) && hasWord(passage, 'enter') && hasWord(passage, 'verify');
		return isRequest ? {...unnamed, closeness} : undefined;
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
	return isTaken ? undefined : toLabel(name, closeness, closeness === 'lineBefore' && hasWord(passage, 'enter'));
}

function toLabel({kind, isVague}: Name, closeness: Closeness, isAskedFor = false): Finding {
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

/** End of a sentence. A period before a lower-case letter ends an abbreviation instead. */
export const sentenceEnd = /[.!?؟](?:\s+(?!\p{Ll})|$)|[。！？।։]/gu;

/** Matches a text that ends in a colon, perhaps with more punctuation. */
const endsInColon = /:[^\p{L}\p{N}]*$/u;

/** True if the line ends in punctuation, so that its sentence does not continue on the next line. */
function endsInMark(line: string): boolean {
	return /(?:^|[^\p{L}\p{M}\p{N}\s])$/u.test(line);
}

/** True if the candidate between `gap` and `rest` is part of a quoted title: `Your code to open "Offer 48213":`. */
function isInTitle(gap: string, rest: string): boolean {
	const open = gap.replace(/["“„«][^"“„”«»]*["”“»]/g, '');
	return (
		(/^[^"”“»]*["”“»]/.test(rest) && /["“„«][^"“„«\p{L}\p{N}]*[\p{L}\p{N}]/u.test(open)) ||
		(/^['’](?![\p{L}\p{N}])/u.test(rest) && /(?<![\p{L}\p{N}])['‘’]\p{L}[^'‘’]*$/u.test(gap))
	);
}

/** Returns the start of the last, unfinished sentence. */
export function lastSentenceStart(text: string): number {
	const last = [...text.matchAll(sentenceEnd)].at(-1);
	return last ? last.index + last[0].length : 0;
}
