import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

type Fields = ReadonlyArray<readonly [name: string, value: string]>;

/** A report as Python's `email` reads it. */
export type ReadReport = {
	readonly fields: Fields;
	readonly type: string;
	readonly report: string | null;
	readonly parts: ReadonlyArray<{
		readonly type: string;
		readonly description: string | null;
		readonly encoding: string | null;
		readonly text?: string;
		readonly fields?: Fields;
		/** Of what a machine reads. */
		readonly blocks?: readonly Fields[];
	}>;
	readonly defects: readonly string[];
};

/** Whether there is a Python to read with. */
export function hasPython(): boolean {
	try {
		execFileSync('python3', ['-c', 'import email'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

/** Has Python read each source. */
export function readReports(...sources: readonly Buffer[]): readonly ReadReport[] {
	const script = fileURLToPath(new URL('read_reports.py', import.meta.url));
	const input = sources.map(source => `${source.toString('base64')}\n`).join('');
	return execFileSync('python3', [script], {input, encoding: 'utf8'})
		.trim()
		.split('\n')
		.map(line => JSON.parse(line));
}

/** The value of a field, with white space as one space. */
export function fieldOf(fields: Fields | undefined, name: string): string | undefined {
	const [, value] = fields?.find(([other]) => other.toLowerCase() === name.toLowerCase()) ?? [];
	return value?.replace(/\s+/g, ' ').trim();
}
