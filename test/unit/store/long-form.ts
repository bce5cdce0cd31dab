/** The sizes of a quick run, or the larger ones of `npm run test:crash`. */
export function sized<T>(short: T, long: T): T {
	return process.env['LONG_FORM'] === undefined ? short : long;
}
