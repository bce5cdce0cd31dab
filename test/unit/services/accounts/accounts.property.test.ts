import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {Accounts} from '../../../helpers/accounts.js';
import {AccountsModel} from './accounts-model.js';
import {RealAccounts} from './real-accounts.js';
import {anyStory, type Step} from './story.js';

/** How many stories are told; TINBOX_TEST_RUNS asks for more. */
const stories = Number(process.env['TINBOX_TEST_RUNS'] ?? 240);

/** Much of the time is spent waiting for the disk, so that several tellers at once are faster than one. */
const tellers = [1, 2, 3, 4];

describe.concurrent('accounts and teams do what a plain model of their rules does, restarts included', () => {
	test.each(tellers)('as teller %i has it', {timeout: 120_000}, async () => {
		const accounts = await Accounts.open();
		let told = 0;
		const story = fc.asyncProperty(anyStory, async steps => {
			told++;
			await follow(steps, new AccountsModel(), new RealAccounts(accounts, `story${told}`));
		});
		try {
			await fc.assert(story, {numRuns: Math.ceil(stories / tellers.length)});
		} finally {
			await accounts.close();
		}
	});
});

async function follow(steps: readonly Step[], model: AccountsModel, real: RealAccounts): Promise<void> {
	for (const step of steps) {
		// Of what happens in the same millisecond, the order is open.
		model.passTime(1);
		real.passTime(1);
		const outcome = model.perform(step);
		if (outcome !== undefined) {
			expect(await real.perform(step), step.do).toBe(outcome);
		}
	}

	expect(await real.view()).toEqual(model.view());
}
