import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

type Fields = ReadonlyArray<readonly [name: string, value: string]>;

/** A report (RFC 6522) parsed by Python's `email`. */
export type ParsedReport = {
	readonly fields: Fields;
	readonly type: string;
	readonly report: string | null;
	readonly parts: ReadonlyArray<{
		readonly type: string;
		readonly description: string | null;
		readonly encoding: string | null;
		readonly text?: string;
		readonly fields?: Fields;
		/** Field groups of a machine-readable part. */
		readonly blocks?: readonly Fields[];
	}>;
	readonly defects: readonly string[];
};

export function hasPython(): boolean {
	try {
		execFileSync('python3', ['-c', 'import email'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

/** Parses each source with Python. */
export function parseReports(...sources: readonly Buffer[]): readonly ParsedReport[] {
	const script = fileURLToPath(new URL('read_reports.py', import.meta.url));
	const input = sources.map(source => `${source.toString('base64')}\n`).join('');
	return execFileSync('python3', [script], {input, encoding: 'utf8'})
		.trim()
		.split('\n')
		.map(line => JSON.parse(line));
}

/** The value of a field with collapsed white space. */
export function fieldOf(fields: Fields | undefined, name: string): string | undefined {
	const [, value] = fields?.find(([other]) => other.toLowerCase() === name.toLowerCase()) ?? [];
	return value?.replace(/\s+/g, ' ').trim();
}
