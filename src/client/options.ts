import {types} from 'node:util';

/** Throws a `TypeError` that names an option which nothing reads, or says that these are no options. */
export function assertKnown(options: unknown, known: readonly string[]): void {
	if (typeof options !== 'object' || options === null || types.isRegExp(options)) {
		throw new TypeError(`Options are an object of ${known.join(', ')}, not ${options}.`);
	}

	const stranger = Object.keys(options).find(name => !known.includes(name));
	if (stranger !== undefined) {
		throw new TypeError(`There is no option "${stranger}" here. Known are: ${known.join(', ')}.`);
	}
}
