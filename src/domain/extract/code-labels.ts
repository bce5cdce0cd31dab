import {type CodeCandidate, findCandidates} from './code-candidates.js';
import {firstWord, has, hasNoWords, is, lastWord, type Name, type Passage, readPassage} from './code-names.js';
import {endOfSentences, endsClosed, endsInColon, isInTitle, sentenceEnd} from './sentences.js';

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
type Finding = CodeLabel | 'other' | undefined;

/** Characters on either side of a candidate in which its label is looked for. */
export const reach = 120;

/** What is asked for without a name: "enter 482913 to log in". */
const unnamed: CodeLabel = {kind: 'general', closeness: 'introduced', isVague: false, isAskedFor: false};

/** The label of a candidate that is a one-time code; undefined when the candidate is something else. */
export function labelOf(candidate: CodeCandidate, place: CodePlace): CodeLabel | undefined {
	const line = place.lines[place.index] ?? '';
	const finding =
		findInLine(candidate, place) ??
		(standsAlone(candidate, place)
			? findInOtherLines(place)
			: (findInSentenceBefore(candidate, line) ?? findInLineAbove(candidate, place)));
	return finding === 'other' ? undefined : finding;
}

/** Whether nothing else is on the line, and the line does not continue a number of the one above. */
export function standsAlone({start, end}: CodeCandidate, {lines, index}: CodePlace): boolean {
	const line = lines[index] ?? '';
	return line.length <= 40 && hasNoWords(line.slice(0, start) + line.slice(end)) && !/\d$/.test(lines[index - 1] ?? '');
}

function findInLine({start, end, value}: CodeCandidate, {lines, index}: CodePlace): Finding {
	const line = lines[index] ?? '';
	const before = `${lines[index - 1] ?? ''} ${line.slice(Math.max(0, start - reach), start)}`.slice(-reach);
	const after = `${line.slice(end, end + reach)} ${lines[index + 1] ?? ''}`.slice(0, reach);
	const sentenceStart = endOfSentences(before);
	const sentence = readPassage(before.slice(sentenceStart));
	const rest = readPassage(after.slice(0, after.search(sentenceEnd) + 1 || undefined));
	const unit = firstWord(rest, 'unit');
	if (unit && unit.start <= 1 && end + unit.start < line.length) {
		return 'other';
	}

	const isFirst = hasNoWords(sentence.text) || (hasNoWords(line.slice(0, start)) && endsClosed(lines[index - 1] ?? ''));
	return (
		findBefore(sentence, rest) ??
		findAfter(rest, isFirst) ??
		findAround(sentence, rest, value) ??
		findBeforeHere(sentence, before.slice(0, sentenceStart).trim() || lineAbove(lines, index))
	);
}

/** The nearest line above that is not empty, in this paragraph or the one before. */
export function lineAbove(lines: readonly string[], index: number): string {
	return lines.slice(Math.max(0, index - 2), index).findLast(text => text !== '') ?? '';
}

/** For a sentence that only points: "Need a code? Here it is: 482913". */
function findBeforeHere({text, names, words}: Passage, earlier: string): Finding {
	const pointer = words.find(word => is('here', word));
	return pointer && names.length === 0 && endsInColon.test(text) && text.length - pointer.end <= 30
		? findInWholeLine(earlier.slice(-reach), 'introduced')
		: undefined;
}

/** After a verb the subject of the sentence decides, which comes first; else the nearest name. */
function findBefore(sentence: Passage, rest: Passage): Finding {
	const {text, names} = sentence;
	const copula = lastWord(sentence, 'is');
	if (copula) {
		const subject = names.find(isFar) ?? names.find(isPassword) ?? names[0];
		const closeness = closenessOf(text.slice(subject?.end, copula.start), 'introduced');
		return (
			subject &&
			(isPassword(subject)
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

	if (gap.trim() === '') {
		// As in "(Code QWERTZ)": without the brackets it could be the next word.
		const isInBrackets = text[name.start - 1] === '(' && rest.text.startsWith(')');
		return isInBrackets ? labelBy({...name, isVague: true}, 'adjacent') : labelBy(name, 'touching');
	}

	return endsInColon.test(gap)
		? labelBy(name, closenessOf(gap, 'introduced'), has('enter', sentence) || has('here', sentence))
		: labelBy(name, closenessOf(gap, 'sentence'));
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

function findAfter(rest: Passage, isFirst: boolean): Finding {
	const {text, names} = rest;
	const name = names.find(isFar);
	const gap = text.slice(0, name?.start);
	if (name && /^[\s)*"'»”\]]*$/.test(gap)) {
		return labelBy(name, 'touching');
	}

	const isLinked = /^[\s)*"'»”\]]*[-:(]/.test(gap) || firstWord(rest, 'is') !== undefined;
	if (!name || isLinked) {
		return name && labelBy(name, 'adjacent');
	}

	return isFirst && gap.length <= (has('is', rest) ? 60 : 30) && !/\d/.test(gap)
		? labelBy(name, 'sentence')
		: undefined;
}

function findAround(sentence: Passage, rest: Passage, value: string): Finding {
	const isAskedFor =
		lastWord(sentence, 'enter') || (has('enter', sentence) && endsInColon.test(sentence.text) && hasNoWords(rest.text));
	// Where verbs come last, perhaps with a particle before. Short numbers may be versions: "using Firefox 1280".
	const isAskedForBehind = value.length > 5 && rest.words.some(word => is('enter', word) && word.start <= 3);
	const isForAccess = has('verify', sentence) || (isAskedFor && (firstWord(rest, 'to') || firstWord(rest, 'verify')));
	return (isAskedFor || isAskedForBehind) && isForAccess ? unnamed : undefined;
}

/** For a candidate that is a sentence of its own at the end of a line: "Use this code to log in. 482913". */
function findInSentenceBefore({start, end}: CodeCandidate, line: string): Finding {
	const before = line.slice(Math.max(0, start - reach), start);
	const sentence = /^(.*)(?:[.!?؟] |[。！？։।] ?)$/.exec(before)?.[1];
	return sentence !== undefined && hasNoWords(line.slice(end, end + reach))
		? findInWholeLine(sentence.slice(endOfSentences(sentence)), 'introduced')
		: undefined;
}

/** For a candidate that begins its line: "Your code:", and in the next paragraph "482913 (valid for an hour)". */
function findInLineAbove({start, end}: CodeCandidate, {lines, index}: CodePlace): Finding {
	const line = lines[index] ?? '';
	const above = lineAbove(lines, index);
	const isLed = endsInColon.test(above) || /^ ?[-(|,.]/.test(line.slice(end));
	return isLed && hasNoWords(line.slice(0, start)) ? findInWholeLine(above.slice(-2 * reach), 'lineBefore') : undefined;
}

function findInOtherLines({lines, index, subject}: CodePlace): Finding {
	const above = lines.slice(Math.max(0, index - 10), index).filter(line => !/^(?:https?:\/\/\S*)?$/i.test(line));
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
	const passage = readPassage(line);
	const {text, names} = passage;
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

function labelBy({kind, isVague}: Name, closeness: Closeness, isAskedFor = false): Finding {
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
