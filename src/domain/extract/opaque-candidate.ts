/** Characters before the end of a line that are looked at: those of a candidate with the marks around it. */
const maxEnding = 40;

/** What all candidates have, and few words. */
const mixed = /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|^[b-df-hj-np-tv-xz]{6,8}$/;

const lastWord =
	/(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}._/\\+@#&=%~$€-])([A-Za-z\d._/+-]{5,32})([^\p{L}\p{N}\s]{0,4})$/u;

/**
 * What ends a line and looks drawn at random, as `6b.kp30drVyA` and `rX5w-H` do. Whether it is a code only the words
 * around can say.
 */
export function findOpaque(
	line: string,
): {readonly value: string; readonly start: number; readonly end: number} | undefined {
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
