import {describeAccounts} from './behaviour/accounts.js';
import {describeAllMail} from './behaviour/all-mail.js';
import {describeBounces} from './behaviour/bounces.js';
import {describeOrphans} from './behaviour/concurrent-deletes.js';
import {describeEvents} from './behaviour/events.js';
import {describeFaults} from './behaviour/faults.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeInboxes} from './behaviour/inboxes.js';
import {type Amounts, describeInterrupted, describeLarge} from './behaviour/large-deletes.js';
import {describeMessages} from './behaviour/messages.js';
import {describeNodes} from './behaviour/nodes.js';
import {describeRetention} from './behaviour/retention.js';
import {describeSending} from './behaviour/sending.js';
import {describeClosing, describeSources} from './behaviour/sources.js';
import {describeTeams} from './behaviour/teams.js';
import {describeWebSessions} from './behaviour/web-sessions.js';
import {describeWebhooks} from './behaviour/webhooks.js';
import {settle} from './rows.js';

/** Tests that every implementation of the store passes. */
export function describeStore(create: CreateHarness): void {
	const createSettled = settled(create);
	describeAccounts(create);
	describeWebSessions(createSettled);
	describeTeams(createSettled);
	describeInboxes(createSettled);
	describeMessages(createSettled);
	describeRetention(createSettled);
	describeAllMail(createSettled);
	describeSources(createSettled);
	describeClosing(createSettled);
	describeWebhooks(createSettled);
	describeFaults(createSettled);
	describeBounces(createSettled);
	describeEvents(createSettled);
	describeNodes(createSettled);
	describeOrphans(createSettled);
	describeSending(createSettled);
}

/** Tests of in-memory state, which a new process has to rebuild. */
export function describeRebuiltState(create: CreateHarness): void {
	const createSettled = settled(create);
	describeRetention(createSettled);
	describeClosing(createSettled);
	describeWebhooks(createSettled);
	describeFaults(createSettled);
	describeBounces(createSettled);
}

/** Tests of large deletes. */
export function describeLargeDeletes(create: CreateHarness, amounts: Amounts): void {
	describeLarge(settled(create), amounts);
}

/** Tests of large deletes that a restart interrupts. */
export function describeInterruptedDeletes(create: CreateHarness, amounts: Amounts): void {
	describeInterrupted(settled(create), amounts);
}

function settled(create: CreateHarness): CreateHarness {
	return async options => {
		const harness = await create(options);
		await settle(harness.store);
		return harness;
	};
}
