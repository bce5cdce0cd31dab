import type {TlsBody} from '../contract/daemon.js';
import type {HostPort} from '../lib/io/hosts.js';
import type {Credentials} from '../services/accounts/credentials.js';
import type {Keys} from '../services/accounts/keys.js';
import type {Teams} from '../services/accounts/teams.js';
import type {Users} from '../services/accounts/users.js';
import type {WebSessions} from '../services/accounts/web-sessions.js';
import type {Bounces} from '../services/bounces/bounces.js';
import type {Faults} from '../services/faults/faults.js';
import type {Inboxes} from '../services/inboxes/inboxes.js';
import type {InboxLogins} from '../services/inboxes/logins.js';
import type {Feed} from '../services/live/feed.js';
import type {Follower} from '../services/live/follower.js';
import type {Messages} from '../services/messages/messages.js';
import type {Previews} from '../services/messages/previews.js';
import type {MailReceiver} from '../services/messages/receive.js';
import type {Nodes} from '../services/nodes.js';
import type {Observer} from '../services/observer.js';
import type {Quotas} from '../services/quotas.js';
import type {Refusals} from '../services/refusals.js';
import type {IdempotentRequests} from '../services/sending/idempotency.js';
import type {Sending} from '../services/sending/sending.js';
import type {SentMails} from '../services/sending/sent-mails.js';
import type {TemplateMails, Templates} from '../services/sending/templates.js';
import type {Webhooks} from '../services/webhooks/webhooks.js';

/** Everything that HTTP needs of what is behind it. */
export type Services = {
	readonly credentials: Credentials;
	readonly users: Users;
	readonly keys: Keys;
	readonly webSessions: WebSessions;
	readonly teams: Teams;
	readonly inboxes: Inboxes;
	readonly logins: InboxLogins;
	readonly messages: Messages;
	readonly receiver: MailReceiver;
	readonly sending: Sending;
	readonly repeats: IdempotentRequests;
	readonly sentMails: SentMails;
	readonly templateMails: TemplateMails;
	readonly bounces: Bounces;
	readonly previews: Previews;
	readonly refusals: Refusals;
	readonly nodes: Nodes;
	readonly faults: Faults;
	readonly feed: Feed;
	readonly follower: Follower;
	readonly templates: Templates;
	readonly webhooks: Webhooks;
	readonly quotas: Pick<Quotas, 'polls' | 'streams'>;
	readonly observer: Pick<Observer, 'wakeUp'>;
	/** What is measured, in a format of Prometheus. */
	readonly metrics: {readonly type: string; read(): Promise<string>};
	/** Whether what keeps the mail can be read and written at the moment. */
	isAvailable(): boolean;
	/** How mail gets in. */
	readonly intake: {
		/** Of the addresses that new inboxes get. */
		readonly domain: string;
		/** Who may send besides who logs in as an inbox: everybody, nobody, or who has this login. */
		readonly others: 'any' | 'inbox' | {readonly user: string; readonly password: string};
		/** Logins are taken under TLS only. */
		readonly authNeedsTls: boolean;
		/** Where SMTP listens; undefined while no mail is taken. */
		address(): HostPort | undefined;
	};
	/** Where TLS is spoken. */
	readonly tls: {
		readonly mode: TlsBody['mode'];
		/** The certificate of the daemon's own authority, PEM; null while it has none. */
		authority(): Promise<string | null>;
		/** Where SMTP begins with it; undefined for nowhere. */
		smtps(): HostPort | undefined;
		/** Where this API is served over it; undefined for nowhere. */
		https(): HostPort | undefined;
	};
};
