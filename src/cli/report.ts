import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {Option} from 'commander';
import type {Context} from './context.js';
import {usageError} from './exit.js';
import {describeFailure} from './failure.js';
import {junit} from './junit.js';
import {note} from './output.js';

/** How a check ended. */
export type Verdict = {
	readonly name: string;
	/** ISO 8601. */
	readonly startedAt: string;
	readonly durationMs: number;
	/** Undefined when it passed. */
	readonly failure?: {
		readonly code: string;
		readonly message: string;
		readonly details: Readonly<Record<string, unknown>>;
	};
};

const formats: ReadonlyMap<string, (verdict: Verdict) => string> = new Map([
	['junit', junit],
	['json', json],
]);

/** As `--report` holds it: a format and a file. */
export type Report = readonly string[];

export function reportOption(): Option {
	const option = new Option(
		'--report <format> <file>',
		'write how it ended to a file, as junit or json; stands behind the inbox',
	);
	option.variadic = true;
	return option;
}

/** Makes a check, writes to the report how it ended, if one is wanted, and then ends as the check did. */
export async function recorded(
	report: Report | undefined,
	name: string,
	{io, now}: Pick<Context, 'io' | 'now'>,
	check: () => Promise<void>,
): Promise<void> {
	if (!report) {
		return check();
	}

	const save = saver(report);
	const start = performance.now();
	const startedAt = now().toISOString();
	const verdict = () => ({name, startedAt, durationMs: Math.round(performance.now() - start)});
	try {
		await check();
	} catch (error) {
		const {code, message, details = {}} = describeFailure(error);
		await save({...verdict(), failure: {code, message, details}}).catch((reason: Error) =>
			note(io, `The report could not be written: ${reason.message}.`),
		);
		throw error;
	}

	await save(verdict());
}

function saver([name = '', file, ...others]: Report): (verdict: Verdict) => Promise<void> {
	const format = formats.get(name);
	if (!format || file === undefined || others.length > 0) {
		throw usageError('--report needs a format and a file: --report junit <file> or --report json <file>.');
	}

	return async verdict => {
		await mkdir(path.dirname(file), {recursive: true});
		await writeFile(file, format(verdict));
	};
}

function json({name, startedAt, durationMs, failure}: Verdict): string {
	const {code, message, details} = failure ?? {};
	const body = {name, ok: failure === undefined, started_at: startedAt, duration_ms: durationMs};
	return `${JSON.stringify(failure ? {...body, failure: {code, message, ...details}} : body, null, 2)}\n`;
}
