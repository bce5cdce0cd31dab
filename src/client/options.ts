/** Throws a `TypeError` for an unknown option, or for a value that is not an options object. */
export function assertOptions(options: unknown, known: readonly string[]): void {
	if (typeof options !== 'object' || options === null || isRegExp(options)) {
		throw new TypeError(`Options must be an object with ${known.join(', ')}, got ${options}.`);
	}

	const stranger = Object.keys(options).find(name => !known.includes(name));
	if (stranger !== undefined) {
		throw new TypeError(`Unknown option "${stranger}". Supported: ${known.join(', ')}.`);
	}
}

/** True for a RegExp, also one of another realm, such as a Jest test environment. */
export function isRegExp(value: unknown): value is RegExp {
	return isKind(value, 'RegExp');
}

/** True for a Date, also one of another realm. */
export function isDate(value: unknown): value is Date {
	return isKind(value, 'Date');
}

function isKind(value: unknown, kind: string): boolean {
	return Object.prototype.toString.call(value) === `[object ${kind}]`;
}
