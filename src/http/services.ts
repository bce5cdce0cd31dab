import type {Credentials} from '../services/credentials.js';
import type {Feed} from '../services/feed.js';
import type {Follower} from '../services/follower.js';
import type {Inboxes} from '../services/inboxes.js';
import type {Invites} from '../services/invites.js';
import type {Keys} from '../services/keys.js';
import type {Messages} from '../services/messages.js';
import type {Previews} from '../services/previews.js';
import type {Teams} from '../services/teams.js';
import type {Users} from '../services/users.js';
import type {Webhooks} from '../services/webhooks.js';

/** Everything that HTTP needs of what is behind it. */
export type Services = {
	readonly credentials: Credentials;
	readonly users: Users;
	readonly keys: Keys;
	readonly teams: Teams;
	readonly invites: Invites;
	readonly inboxes: Inboxes;
	readonly messages: Messages;
	readonly previews: Previews;
	readonly feed: Feed;
	readonly follower: Follower;
	readonly webhooks: Webhooks;
};
