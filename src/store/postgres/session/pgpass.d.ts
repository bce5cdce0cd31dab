/** The package has no types, and its entry point reads one fixed file and prints warnings. */
declare module 'pgpass/lib/helper.js' {
	type Entry = {readonly password: string};
	const helper: {
		parseLine(line: string): Entry | null;
		isValidEntry(entry: Entry): boolean;
		match(
			connection: {readonly host: string; readonly port: number; readonly database: string; readonly user: string},
			entry: Entry,
		): boolean;
	};
	export default helper;
}
