/** Throws a `TypeError` that names an option which nothing reads. */
export function assertKnown(options: object, known: readonly string[]): void {
	const stranger = Object.keys(options).find(name => !known.includes(name));
	if (stranger !== undefined) {
		throw new TypeError(`There is no option "${stranger}" here. Known are: ${known.join(', ')}.`);
	}
}
