import {describeFailure} from '../failure.js';

/** One thing that has to work. */
export type Check = {
	readonly name: string;
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

/** All of them, one after the other, whatever comes out. */
export async function* runAll(checks: readonly Check[]): AsyncGenerator<Finding> {
	for (const check of checks) {
		yield await runOne(check);
	}
}

/** Each builds on the one before: after the first that does not work, or that did not before, the others are skipped. */
export async function* runStages(stages: readonly Check[], brokenBefore?: string): AsyncGenerator<Finding> {
	let broken = brokenBefore;
	for (const stage of stages) {
		if (broken === undefined) {
			const finding = await runOne(stage);
			broken = finding.result === 'failed' ? finding.name : undefined;
			yield finding;
		} else {
			yield {name: stage.name, result: 'skipped', detail: `because of "${broken}"`};
		}
	}
}

export async function runOne({name, run}: Check): Promise<Finding> {
	try {
		return {name, result: 'ok', detail: await run()};
	} catch (error) {
		const {message, hint} = describeFailure(error);
		return {name, result: 'failed', detail: message, ...(hint !== undefined && {hint})};
	}
}
