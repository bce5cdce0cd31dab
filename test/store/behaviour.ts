import {describeAccounts} from './behaviour/accounts.js';
import {describeBounces} from './behaviour/bounces.js';
import {describeEvents} from './behaviour/events.js';
import {describeFaults} from './behaviour/faults.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeInboxes} from './behaviour/inboxes.js';
import {describeLarge} from './behaviour/large.js';
import {describeMessages} from './behaviour/messages.js';
import {describeNodes} from './behaviour/nodes.js';
import {describeOrphans} from './behaviour/orphans.js';
import {describeClosing, describeSources} from './behaviour/sources.js';
import {describeTeams} from './behaviour/teams.js';
import {describeWebhooks} from './behaviour/webhooks.js';
import {settle} from './rows.js';

/** What every implementation of the store does. */
export function describeStore(create: CreateHarness): void {
	const createSettled = settled(create);
	describeAccounts(create);
	describeTeams(createSettled);
	describeInboxes(createSettled);
	describeMessages(createSettled);
	describeSources(createSettled);
	describeClosing(createSettled);
	describeWebhooks(createSettled);
	describeFaults(createSettled);
	describeBounces(createSettled);
	describeEvents(createSettled);
	describeNodes(createSettled);
	describeOrphans(createSettled);
}

/** How an implementation deletes very much, where a look at what is left takes less time than to take a bit of it away. */
export function describeLargeDeletes(create: CreateHarness): void {
	describeLarge(settled(create));
}

function settled(create: CreateHarness): CreateHarness {
	return async () => {
		const harness = await create();
		await settle(harness.store);
		return harness;
	};
}
