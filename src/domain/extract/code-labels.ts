import type {CodeCandidate} from './code-candidates.js';
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
} from './code-names.js';
import {
	type Closeness,
	type CodeLabel,
	type CodePlace,
	type FoundLabel,
	findInLineAbove,
	findInOtherLines,
	findInWholeLine,
	labelBy,
	lineAbove,
	passwordLabel,
	reach,
	standsAlone,
	unnamed,
} from './line-labels.js';
import {endOfSentences, endsClosed, endsInColon, isInTitle, sentenceEnd} from './sentences.js';

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
