import {Option} from 'commander';
import {causeOf} from '../../lib/errors.js';
import type {Context} from '../context.js';
import {note} from './print.js';
import type {ReportTarget} from './report-file.js';

export function reportOption(): Option {
	const option = new Option(
		'--report <format> <file>',
		'write the result to a file as junit or json; only after <inbox>',
	);
	option.variadic = true;
	return option;
}

/** Runs a check and writes its result to the report, if any. Rethrows the error of the check. */
export async function recorded(
	report: ReportTarget | undefined,
	name: string,
	{io, now}: Pick<Context, 'io' | 'now'>,
	check: () => Promise<void>,
): Promise<void> {
	if (!report) {
		return check();
	}

	const [{reportTo}, {describeFailure}] = await Promise.all([import('./report-file.js'), import('./failure.js')]);
	const save = reportTo(report);
	const start = performance.now();
	const startedAt = now().toISOString();
	const verdict = () => ({name, startedAt, durationMs: Math.round(performance.now() - start)});
	try {
		await check();
	} catch (error) {
		await save({...verdict(), failure: describeFailure(error)}).catch((reason: Error) =>
			note(io, `Could not write the report: ${causeOf(reason)}.`),
		);
		throw error;
	}

	await save(verdict());
}
