const otherDigit = /[^\P{Nd}0-9]/u;

/** The least of the digits that are not ASCII. */
const firstOther = 0x660;
const zero = 0x30;

/** The text with the decimal digits of all scripts as ASCII digits: `٤٨٢٩١٣` is `482913`. Other characters stay as they are. */
export function asciiDigits(text: string): string {
	if (!otherDigit.test(text)) {
		return text;
	}

	const values = new Map<number, number | undefined>();
	const known = (codePoint: number): number | undefined => {
		if (!values.has(codePoint)) {
			values.set(codePoint, digitValue(codePoint));
		}

		return values.get(codePoint);
	};
	// Unit by unit: there may be very many digits, and each call of a replacer has its price.
	const units = new Uint16Array(text.length);
	let length = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		const codePoint = unit < firstOther ? unit : (text.codePointAt(at) ?? unit);
		const value = codePoint < firstOther ? undefined : known(codePoint);
		units[length++] = value === undefined ? unit : zero + value;
		at += value !== undefined && codePoint > 0xffff ? 1 : 0;
	}

	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

/** Undefined for what is no digit. Unicode keeps the ten digits of a script together, from zero to nine. */
function digitValue(codePoint: number): number | undefined {
	let first = codePoint;
	while (/\p{Nd}/u.test(String.fromCodePoint(first))) {
		first -= 1;
	}

	return first === codePoint ? undefined : (codePoint - first - 1) % 10;
}
