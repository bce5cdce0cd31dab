import {readPassage} from './names.js';

/** Part of a line that has the form of a one-time code. */
export type CodeCandidate = {
	/** The code without spaces and without dashes between digits; other marks stay. */
	readonly value: string;
	/** Position in the line. */
	readonly start: number;
	readonly end: number;
	/**
	 * Form of the candidate:
	 * - `digits`: only digits,
	 * - `mixed`: letters and digits, or groups of letters,
	 * - `letters`: one word of capital letters,
	 * - `opaque`: a long or unusual token that could be anything.
	 */
	readonly shape: 'digits' | 'mixed' | 'letters' | 'opaque';
	/** True if it has lower-case letters. */
	readonly lower: boolean;
	/** True if it may be a date or a year: `2026`, `24-12-26`. */
	readonly dateLike: boolean;
};

/** Groups of equal length with the same separator, which may be one code: `482 913`. */
type Chain = {readonly groups: string[]; readonly start: number; end: number; separator?: string};

const minLength = 4;
const maxLength = 12;
const maxDigits = 10;

/** Quick check that most lines fail: every candidate has digits, adjacent capitals, or is a line of one or two random words. */
const mayHaveCandidates = /\d|[A-Za-z][ -]?[A-Z]|^[a-z]{6,8}(?:[ -][a-z]{6,8})?[^\p{L}\p{N}]*$/u;

/** Number of characters around a candidate in which it may continue. */
const beside = 64;

/**
 * Finds the candidates of a line:
 * - 4 to 10 digits, or up to 12 letters and digits, perhaps in groups of equal length: `482913`, `482 - 913`, `XK4-P9T`,
 * - a phone-like `123 4567`,
 * - anywhere a random token of mixed case with 13 to 32 characters: `sfp6NkRKk9Syqaci`,
 * - at the end of a line a random token, perhaps with marks: `6b.kp30drVyA`, `rX5w-H`, `RTaPvl`,
 * - alone on a line random groups: `1ng8r9 6ccq73`.
 */
export function* findCandidates(line: string): Generator<CodeCandidate> {
	if (line.length < minLength || !mayHaveCandidates.test(line)) {
		return;
	}

	const masked = mask(line);
	const groupedToken = findGroups(masked);
	let chain: Chain | undefined;
	for (const {0: text, index} of masked.matchAll(/[A-Za-z0-9]+/g)) {
		const separator = masked.slice(chain?.end, index);
		if (chain && continuesChain(chain, separator, text)) {
			chain.groups.push(text);
			chain.end = index + text.length;
			chain.separator = separator;
		} else {
			if (!groupedToken) {
				yield* candidateIn(masked, chain);
			}

			chain = {groups: [text], start: index, end: index + text.length};
		}
	}

	const last = candidateIn(masked, chain);
	if (groupedToken) {
		yield last.find(({start}) => start === groupedToken.start) ?? opaqueCandidate(groupedToken);
		return;
	}

	yield* last;
	const opaque = findOpaque(masked);
	if (opaque && last.every(({end}) => end <= opaque.start)) {
		yield opaqueCandidate(opaque);
	}
}

function opaqueCandidate(token: RandomToken): CodeCandidate {
	return {...token, shape: 'opaque', lower: /[a-z]/.test(token.value), dateLike: false};
}

function candidateIn(line: string, chain: Chain | undefined): readonly CodeCandidate[] {
	const candidate = chain && candidateOf(line, chain);
	return candidate && !isPartOfLonger(line, candidate) ? [candidate] : [];
}

/** Replaces web and mail addresses by NUL characters, because parts of addresses look like codes. */
function mask(line: string): string {
	const blank = (address: string) => '\u0000'.repeat(address.length);
	const withoutUrls = line.replace(/(?:https?:\/\/|www\.)[!-~]+/gi, blank);
	return line.includes('@') ? withoutUrls.replace(/[\w.%+-]{1,64}@[\w.-]{1,255}/g, blank) : withoutUrls;
}

/** True if the group continues the chain. */
function continuesChain({groups: [head = ''], ...chain}: Chain, separator: string, group: string): boolean {
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
	// `XXXXXX4829`: a masked number.
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

/** True if the candidate is only a part of something longer: a number, an amount, a path, a word with accents. */
function isPartOfLonger(line: string, {start, end, lower}: CodeCandidate): boolean {
	const written = line.slice(end, end + beside);
	const left = line.slice(Math.max(0, start - beside), start).replace(written === '' ? /^#$/ : '', '');
	// `482913'ü`, `482913:lla`: the ending is a suffix in the language of the sentence.
	const right = lower ? written : written.replace(/^['’:]\p{Ll}{1,5}(?![\p{L}\p{N}])/u, '');
	// `G-482913`: the letter names the sender and is not typed.
	const hasBrandPrefix = !lower && /(?:^|[^A-Za-z\d-])[A-Z]{1,3}-$/.test(left);
	// `**** 4829`: a masked number.
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

/** Number of characters at the end of a line in which `findOpaque` searches. */
const maxEnding = 40;

/** Maximum length of groups together. License keys are longer. */
const maxGrouped = 16;

/** Quick check that most words fail. */
const mixed = /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|^[b-df-hj-np-tv-xz]{6,8}$/;

const lastWord =
	/(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}._/\\+@#&=%~$€-])([A-Za-z\d._/+-]{5,32})([^\p{L}\p{N}\s]{0,4})$/u;

/** Two to four groups of letters and digits with the same separator, and nothing else on the line. */
const grouped = /^([!-/:-@[-`{-~]*)([A-Za-z\d]{4,8}([ -])(?:[A-Za-z\d]{4,8}\3){0,2}[A-Za-z\d]{4,8})[^\p{L}\p{N}]*$/u;

/** Token that looks random, with its position in the line. */
type RandomToken = {readonly value: string; readonly start: number; readonly end: number};

/**
 * Returns the token at the end of a line if it looks random, like `6b.kp30drVyA` and `rX5w-H`. Only the words around it
 * can tell whether it is a code.
 */
function findOpaque(line: string): RandomToken | undefined {
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
 * Returns groups of equal length that are alone on a line and look random, like `1ng8r9 6ccq73`, all in lower case or all
 * in capitals. The value has no spaces.
 */
function findGroups(line: string): RandomToken | undefined {
	const [, marks = '', written = ''] = (line.length <= maxEnding && grouped.exec(line)) || [];
	if (written === '') {
		return undefined;
	}

	const groups = written.split(/[ -]/);
	const isEven = groups.every(({length}) => length === groups[0]?.length) && groups.join('').length <= maxGrouped;
	const isOfOneCase = written === written.toLowerCase() || written === written.toUpperCase();
	return isEven && isOfOneCase && groups.some(isRandomGroup) && !readPassage(written).words.some(({isWhole}) => isWhole)
		? {value: written.replaceAll(' ', ''), start: marks.length, end: marks.length + written.length}
		: undefined;
}

/** True if letters and digits alternate, or at least six characters have no vowel. */
function isRandomGroup(group: string): boolean {
	return /\d[a-z]+\d|[a-z]\d+[a-z]/i.test(group) || /^(?=.*[a-z])[b-df-hj-np-tv-z\d]{6,}$/i.test(group);
}

/** True for 13 to 32 characters of mixed case that are certainly random, so that more words may follow. */
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

/** False for words, names of files and products, versions and dates. */
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

/** True for names in mixed case: `GitHub`, `OpenVPN`, `iPhone`. */
export function isName(value: string): boolean {
	return /^(?=.*[aeiou])(?:[A-Z]?[a-z]{2,}|[a-z])(?:[A-Z][a-z]+|[A-Z]{2,})*$|^[A-Z]{2,}(?:s|[a-z]{3,})$/.test(value);
}
