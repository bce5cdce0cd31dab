import type {TlsBody} from '../contract/daemon.js';
import type {HostPort} from '../lib/io/hosts.js';
import type {Admission} from '../lib/queue/admission.js';
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

/** Services and settings that HTTP needs. */
export type Services = {
	/** Turns of requests and of other work on the main thread, by holder. */
	readonly admission: Admission;
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
	/** Metrics in a format of Prometheus. */
	readonly metrics: {readonly type: string; read(): Promise<string>};
	/** True if the store can be read and written. */
	isAvailable(): boolean;
	/** Settings of the SMTP listener. */
	readonly smtpSettings: {
		/** Domain of generated inbox addresses. */
		readonly domain: string;
		/** SMTP authentication besides logins of inboxes: everybody, nobody, or this login. */
		readonly loginPolicy: 'any' | 'inbox' | {readonly user: string; readonly password: string};
		/** True if logins require TLS. */
		readonly authNeedsTls: boolean;
		/** Address of the listener; undefined while no mail is accepted. */
		address(): HostPort | undefined;
	};
	/** Settings of TLS. */
	readonly tls: {
		readonly mode: TlsBody['mode'];
		/** CA certificate of the daemon as PEM; null if there is none. */
		authority(): Promise<string | null>;
		/** Address of the SMTPS listener; undefined if there is none. */
		smtps(): HostPort | undefined;
		/** Address of the HTTPS listener; undefined if there is none. */
		https(): HostPort | undefined;
	};
};
