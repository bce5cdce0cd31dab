import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {Accounts} from '../../../helpers/accounts.js';
import {AccountsModel, anyScenario, type Step} from './accounts-model.js';
import {RealAccounts} from './real-accounts.js';

/** Number of scenarios; TINBOX_TEST_RUNS sets another one. */
const scenarios = Number(process.env['TINBOX_TEST_RUNS'] ?? 240);

/** Concurrent runs, because a run mostly waits for the disk. */
const runs = [1, 2, 3, 4];

describe.concurrent('accounts and teams', () => {
	test.each(runs)('behave like the reference model, also after restarts (run %i)', {timeout: 120_000}, async () => {
		const accounts = await Accounts.open();
		let count = 0;
		const scenario = fc.asyncProperty(anyScenario, async steps => {
			count++;
			await compare(steps, new AccountsModel(), new RealAccounts(accounts, `scenario${count}`));
		});
		try {
			await fc.assert(scenario, {numRuns: Math.ceil(scenarios / runs.length)});
		} finally {
			await accounts.close();
		}
	});
});

async function compare(steps: readonly Step[], model: AccountsModel, real: RealAccounts): Promise<void> {
	for (const step of steps) {
		// The order of changes in one millisecond is undefined.
		model.passTime(1);
		real.passTime(1);
		const outcome = model.perform(step);
		if (outcome !== undefined) {
			expect(await real.perform(step), step.do).toBe(outcome);
		}
	}

	expect(await real.view()).toEqual(model.view());
}
