import {readPassage} from './code-names.js';

/** Characters at the end of a line that are looked at: those of a candidate with the marks around it. */
const maxEnding = 40;

/** Letters and digits in groups; license keys have more. */
const maxGrouped = 16;

/** What all candidates have, and few words. */
const mixed = /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|^[b-df-hj-np-tv-xz]{6,8}$/;

const lastWord =
	/(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}._/\\+@#&=%~$€-])([A-Za-z\d._/+-]{5,32})([^\p{L}\p{N}\s]{0,4})$/u;

/** Two to four groups of letters and digits with the same between them, and nothing else on the line. */
const grouped = /^([!-/:-@[-`{-~]*)([A-Za-z\d]{4,8}([ -])(?:[A-Za-z\d]{4,8}\3){0,2}[A-Za-z\d]{4,8})[^\p{L}\p{N}]*$/u;

/** What looks drawn at random, with its place in the line. */
export type Drawn = {readonly value: string; readonly start: number; readonly end: number};

/**
 * What ends a line and looks drawn at random, as `6b.kp30drVyA` and `rX5w-H` do. Whether it is a code only the words
 * around can say.
 */
export function findOpaque(line: string): Drawn | undefined {
	const ending = line.slice(Math.max(0, line.lastIndexOf(' '), line.length - maxEnding));
	const [text, word = '', marks = ''] = (mixed.test(ending) && lastWord.exec(ending)) || [];
	if (text === undefined) {
		return undefined;
	}

	const start = line.length - text.length;
	const isAlone = !/[\p{L}\p{N}]/u.test(line.slice(Math.max(0, start - maxEnding), start));
	const value = isAlone ? word : word.replace(/\.$/, '');
	if (!looksRandom(value)) {
		return undefined;
	}

	const end = line.length - marks.length - (word.length - value.length);
	return {value, start, end};
}

/**
 * What is alone on its line and looks drawn at random in groups of equal length, as `1ng8r9 6ccq73` does, all in small or
 * all in capital letters. The spaces are no part of it.
 */
export function findGroups(line: string): Drawn | undefined {
	const [, marks = '', written = ''] = (line.length <= maxEnding && grouped.exec(line)) || [];
	if (written === '') {
		return undefined;
	}

	const groups = written.split(/[ -]/);
	const isEven = groups.every(({length}) => length === groups[0]?.length) && groups.join('').length <= maxGrouped;
	const isOfOneCase = written === written.toLowerCase() || written === written.toUpperCase();
	return isEven && isOfOneCase && groups.some(looksDrawn) && !readPassage(written).words.some(({isWhole}) => isWhole)
		? {value: written.replaceAll(' ', ''), start: marks.length, end: marks.length + written.length}
		: undefined;
}

/** Whether letters and digits change, or no vowel is between so many consonants. */
function looksDrawn(group: string): boolean {
	return /\d[a-z]+\d|[a-z]\d+[a-z]/i.test(group) || /^(?=.*[a-z])[b-df-hj-np-tv-z\d]{6,}$/i.test(group);
}

/** Whether it looks drawn at random so clearly that more words may follow: 13 to 32 characters of mixed case. */
export function isLongRandom(text: string): boolean {
	return (
		text.length <= 32 &&
		/[A-Z]/.test(text) &&
		/[a-z]/.test(text) &&
		(/\d/.test(text) || !/[a-z]{3}/.test(text)) &&
		looksRandom(text) &&
		!isName(text.replace(/\d+$/, ''))
	);
}

/** Whether it is no word, name of a file or a product, version or date. */
function looksRandom(value: string): boolean {
	const [upper, lower, digit] = [/[A-Z]/, /[a-z]/, /\d/].map(kind => kind.test(value));
	if (/[^A-Za-z\d]/.test(value)) {
		return Boolean(upper && lower && digit) && !/^[A-Z]?[a-z]{3,}[^A-Za-z\d]|\.[a-z]{1,4}\d?$/.test(value);
	}

	if (/^[b-df-hj-np-tv-xz]+$/.test(value)) {
		return true;
	}

	return digit
		? Boolean(upper || lower) && !/^[A-Z]?[a-z]+\d+$/.test(value)
		: Boolean(upper && lower) && !isName(value);
}

/** As `GitHub`, `OpenVPN` and `iPhone` are. */
export function isName(value: string): boolean {
	return /^(?=.*[aeiou])(?:[A-Z]?[a-z]{2,}|[a-z])(?:[A-Z][a-z]+|[A-Z]{2,})*$|^[A-Z]{2,}(?:s|[a-z]{3,})$/.test(value);
}
