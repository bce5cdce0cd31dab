import {readPassage} from './names.js';

/** A piece of a line that has the form of a one-time code. */
export type CodeCandidate = {
	/** The code without spaces, and without the dashes that only group digits; other marks stay. */
	readonly value: string;
	/** Where it stands in its line. */
	readonly start: number;
	readonly end: number;
	/**
	 * Digits only; letters and digits, or letters in groups; one word of capital letters; a long or oddly written piece
	 * that could be anything.
	 */
	readonly shape: 'digits' | 'mixed' | 'letters' | 'opaque';
	/** Whether it has small letters. */
	readonly lower: boolean;
	/** Whether it can be read as a date or a year. */
	readonly dateLike: boolean;
};

/** Groups of letters and digits that make one code, perhaps: of equal length, and with the same between them. */
type Chain = {readonly groups: string[]; readonly start: number; end: number; separator?: string};

const minLength = 4;
const maxLength = 12;
const maxDigits = 10;

/** What every candidate has, and few lines: digits, capitals, small letters before capitals, or a word or two alone. */
const mayHaveCandidates = /\d|[A-Za-z][ -]?[A-Z]|^[a-z]{6,8}(?:[ -][a-z]{6,8})?[^\p{L}\p{N}]*$/u;

/** Characters on either side of a candidate that show whether it goes on there. */
const beside = 64;

/**
 * Finds codes of 4 to 10 digits, or up to 12 letters and digits, also split into groups of equal length by single spaces
 * or dashes (`482 - 913`, and `123 4567`), and what looks drawn at random: at the end of a line `6b.kp30drVyA`, `rX5w-H`
 * and `RTaPvl`, anywhere `sfp6NkRKk9Syqaci`, alone on a line `1ng8r9 6ccq73`.
 */
export function* findCandidates(line: string): Generator<CodeCandidate> {
	if (line.length < minLength || !mayHaveCandidates.test(line)) {
		return;
	}

	const masked = mask(line);
	const groups = findGroups(masked);
	let chain: Chain | undefined;
	for (const {0: text, index} of masked.matchAll(/[A-Za-z0-9]+/g)) {
		const separator = masked.slice(chain?.end, index);
		if (chain && goesOn(chain, separator, text)) {
			chain.groups.push(text);
			chain.end = index + text.length;
			chain.separator = separator;
		} else {
			if (!groups) {
				yield* candidateIn(masked, chain);
			}

			chain = {groups: [text], start: index, end: index + text.length};
		}
	}

	const last = candidateIn(masked, chain);
	if (groups) {
		yield last.find(({start}) => start === groups.start) ?? opaqueCandidate(groups);
		return;
	}

	yield* last;
	const opaque = findOpaque(masked);
	if (opaque && last.every(({end}) => end <= opaque.start)) {
		yield opaqueCandidate(opaque);
	}
}

function opaqueCandidate(drawn: Drawn): CodeCandidate {
	return {...drawn, shape: 'opaque', lower: /[a-z]/.test(drawn.value), dateLike: false};
}

function candidateIn(line: string, chain: Chain | undefined): readonly CodeCandidate[] {
	const candidate = chain && candidateOf(line, chain);
	return candidate && !continues(line, candidate) ? [candidate] : [];
}

/** Blanks out web and mail addresses, which are full of things that look like codes. */
function mask(line: string): string {
	const blank = (address: string) => '\u0000'.repeat(address.length);
	const withoutUrls = line.replace(/(?:https?:\/\/|www\.)[!-~]+/gi, blank);
	return line.includes('@') ? withoutUrls.replace(/[\w.%+-]{1,64}@[\w.-]{1,255}/g, blank) : withoutUrls;
}

/** Whether the group belongs to the chain. */
function goesOn({groups: [head = ''], ...chain}: Chain, separator: string, group: string): boolean {
	if (group.length === 4 && !chain.separator && /^[ -]$/.test(separator) && /^\d{3} \d{4}$/.test(`${head} ${group}`)) {
		return true;
	}

	if (group.length !== head.length || separator !== (chain.separator ?? separator)) {
		return false;
	}

	const both = head + group;
	return (
		(separator === ' ' && (/^\d+$/.test(both) || /^[A-Z\d]{2}$/.test(both))) ||
		(/^ [-–] $/.test(separator) && /^\d{6}$/.test(both)) ||
		(separator === '-' && /^[A-Z\d]+$|^[a-z\d]+$/.test(both) && head.length <= 5)
	);
}

function candidateOf(line: string, {groups, start, end}: Chain): CodeCandidate | undefined {
	const joined = groups.join('');
	if (groups.length === 1 && joined.length > maxLength && isLongRandom(joined)) {
		return opaqueCandidate({value: joined, start, end});
	}

	const written = line.slice(start, end);
	if (joined.length < minLength || joined.length > maxLength || !/\d|^[A-Z -]+$/.test(written)) {
		return undefined;
	}

	const shape = /^\d+$/.test(joined) ? 'digits' : /^[A-Z]+$/.test(written) ? 'letters' : 'mixed';
	// As in `XXXXXX4829`, of which most is hidden.
	if (/X{4}/i.test(joined) || (shape === 'digits' && joined.length > maxDigits)) {
		return undefined;
	}

	return {
		value: shape === 'digits' || joined.length === groups.length ? joined : written,
		start,
		end,
		shape,
		lower: /[a-z]/.test(joined),
		dateLike: isDateLike(written),
	};
}

/** Whether the candidate is only part of something longer: a number, an amount, a path, a word with accents. */
function continues(line: string, {start, end, lower}: CodeCandidate): boolean {
	const written = line.slice(end, end + beside);
	const left = line.slice(Math.max(0, start - beside), start).replace(written === '' ? /^#$/ : '', '');
	// As in `482913'ü` or `482913:lla`, where the ending belongs to the sentence.
	const right = lower ? written : written.replace(/^['’:]\p{Ll}{1,5}(?![\p{L}\p{N}])/u, '');
	// As in `G-482913`, where the letter says who sent it and is not to be typed.
	const hasBrandPrefix = !lower && /(?:^|[^A-Za-z\d-])[A-Z]{1,3}-$/.test(left);
	// As in `**** 4829`, of which the rest is hidden.
	const isMasked = /(?:[*•●∙]{2}|[xX]{3})[ -]?$/.test(left) && !/^ ?[*•●∙]/.test(right);
	return (
		isMasked ||
		/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{Sc}.,/\\_+~&?%@#]$/u.test(left) ||
		/\d:$|(?<![A-Za-z\d])\d+[ .-]$|(?:\((?:0\d+|\d{3,})|\+\d+ ?\(\d+)\)[ -]?$/.test(left) ||
		/^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}/\\=_+~\p{Sc}&@%°#]|[.,:'’-][A-Za-z\d](?!\d*[\p{Script=Han}\p{Script=Hangul}]))/u.test(
			right,
		) ||
		/^[ .-]\d+(?![A-Za-z\d])/.test(right) ||
		(left.endsWith('-') && !hasBrandPrefix)
	);
}

function isDateLike(written: string): boolean {
	if (/^(?:19|20)\d\d$/.test(written)) {
		return true;
	}

	const [, a = '', b = '', c = ''] =
		/^(\d\d)[ -](\d\d)[ -](\d\d)$/.exec(written) ?? /^(?:19|20)(\d\d)(\d\d)(\d\d)$/.exec(written) ?? [];
	const isDay = (text: string) => Number(text) >= 1 && Number(text) <= 31;
	const isMonth = (text: string) => Number(text) >= 1 && Number(text) <= 12;
	return (isDay(a) && isMonth(b)) || (isMonth(a) && isDay(b)) || (isMonth(b) && isDay(c));
}

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
type Drawn = {readonly value: string; readonly start: number; readonly end: number};

/**
 * What ends a line and looks drawn at random, as `6b.kp30drVyA` and `rX5w-H` do. Whether it is a code only the words
 * around can say.
 */
function findOpaque(line: string): Drawn | undefined {
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
function findGroups(line: string): Drawn | undefined {
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
function isLongRandom(text: string): boolean {
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
