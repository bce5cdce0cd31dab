import type {Context} from '../context.js';
import {explainPlace} from '../output/explain-line.js';
import {describeFailure} from '../output/failure.js';

/** One thing that has to work. */
export type DoctorCheck = {
	readonly name: string;
	/** The name of an earlier check: where that one did not work, this one is skipped. */
	readonly needs?: string;
	/** What was found; throws when it does not work. */
	run(): Promise<string>;
};

export type Finding = {
	readonly name: string;
	readonly result: 'ok' | 'failed' | 'skipped';
	readonly detail: string;
	/** What to do about it. */
	readonly hint?: string | undefined;
};

/** Runs all checks in order, but those that build on one that does not work. */
export async function* runChecks(
	checks: readonly DoctorCheck[],
	context: Pick<Context, 'env' | 'paths'>,
): AsyncGenerator<Finding, undefined> {
	/** For each check that failed or was skipped, the name of the one that failed. */
	const causes = new Map<string | undefined, string>();
	for (const check of checks) {
		const {name, needs} = check;
		const cause = causes.get(needs);
		const finding: Finding =
			cause === undefined ? await runOne(check, context) : {name, result: 'skipped', detail: `"${cause}" failed`};
		if (finding.result !== 'ok') {
			causes.set(name, cause ?? name);
		}

		yield finding;
	}
}

async function runOne({name, run}: DoctorCheck, context: Pick<Context, 'env' | 'paths'>): Promise<Finding> {
	try {
		return {name, result: 'ok', detail: await run()};
	} catch (error) {
		const failure = describeFailure(error);
		const {hint = failure.hint} = explainPlace(error, context);
		return {name, result: 'failed', detail: failure.message, ...(hint !== undefined && {hint})};
	}
}
