import {describeAccounts} from './behaviour/accounts.js';
import type {CreateHarness} from './behaviour/harness.js';
import {describeInboxes} from './behaviour/inboxes.js';
import {describeMessages} from './behaviour/messages.js';
import {describeSources} from './behaviour/sources.js';
import {describeTeams} from './behaviour/teams.js';
import {describeWebhooks} from './behaviour/webhooks.js';

/** What every implementation of the store does. */
export function describeStore(create: CreateHarness): void {
	describeAccounts(create);
	describeTeams(create);
	describeInboxes(create);
	describeMessages(create);
	describeSources(create);
	describeWebhooks(create);
}
