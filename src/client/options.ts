/** Throws a `TypeError` that names an option which nothing reads, or says that these are no options. */
export function assertKnown(options: unknown, known: readonly string[]): void {
	if (typeof options !== 'object' || options === null || isRegExp(options)) {
		throw new TypeError(`Options are an object of ${known.join(', ')}, not ${options}.`);
	}

	const stranger = Object.keys(options).find(name => !known.includes(name));
	if (stranger !== undefined) {
		throw new TypeError(`There is no option "${stranger}" here. Known are: ${known.join(', ')}.`);
	}
}

/** Also where it is of another realm, as those of the tests of Jest are. */
export function isRegExp(value: unknown): value is RegExp {
	return isKind(value, 'RegExp');
}

/** The same of a time. */
export function isDate(value: unknown): value is Date {
	return isKind(value, 'Date');
}

function isKind(value: unknown, kind: string): boolean {
	return Object.prototype.toString.call(value) === `[object ${kind}]`;
}
