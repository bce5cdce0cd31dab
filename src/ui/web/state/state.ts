import type {DeliveryStatus, WebhookEvent} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import type {FeedStatus} from '../../core/feed.js';
import {type InboxesState, noInboxes, type UnseenByInbox} from '../../core/inboxes.js';
import type {Copyable} from '../../core/keys.js';
import type {RowRange} from '../../core/list.js';
import {emptyMessageList, type MessageList} from '../../core/message-list.js';
import type {Notice, Store, Update} from '../../core/store.js';
import type {FilterProblem, OpenMessage, Route} from './route.js';

/** Login status; `unknown` until the daemon has answered. */
export type Account = {readonly status: 'unknown' | 'out'} | {readonly status: 'in'; readonly email: string};

/** Modal dialog. */
export type WebDialog =
	| {readonly type: 'help' | 'new inbox' | 'new endpoint'}
	| {readonly type: 'copy'; readonly items: readonly Copyable[]}
	| {readonly type: 'smtp login'; readonly inboxId: string}
	| {
			readonly type: 'question';
			readonly text: string;
			/** Label of the button that confirms. */
			readonly yes: string;
			readonly onYes: () => Promise<void>;
	  };

/** List of messages of one query, with what the page shows of it. */
export type MessageListState = MessageList & {
	/** Key of the query. */
	readonly key: string;
	/** Number of arrivals above the view. */
	readonly above: number;
	/** True if the newest message is opened as it arrives. */
	readonly autoOpen: boolean;
	readonly view: RowRange;
	readonly problem: FilterProblem | undefined;
	/** Row to scroll to, once for each number. */
	readonly target: {readonly index: number; readonly number: number};
	/** Requested move from an open message (undefined for none), made as soon as its row was read. */
	readonly step: {readonly from: string | undefined; readonly by: number} | undefined;
};

/** Number of rows per request. */
export const rowsPerRead = 50;

export const noMessageList: MessageListState = {
	...emptyMessageList,
	key: '',
	above: 0,
	autoOpen: false,
	view: {start: 0, end: rowsPerRead},
	problem: undefined,
	target: {index: 0, number: 0},
	step: undefined,
};

/** Delivery of a message, with its endpoint. */
export type MessageDelivery = {readonly endpoint: EndpointBody; readonly delivery: DeliveryBody};

/** Fault hits on a message and on earlier attempts to send it, and the answers to it; newest first. */
type MessageHistory = {readonly hits: readonly FaultHitBody[]; readonly answers: readonly MessageSummaryBody[]};

/** Parts of a message, which are read separately when they are shown. */
export type MessageParts = {
	readonly message: FullMessageBody;
	/** Beginning of the source. */
	readonly source: string;
	/** Path of the isolated preview of HTML and attachments, and the time (in milliseconds since 1970) until which it is used. */
	readonly preview: {readonly path: string; readonly until: number};
	readonly deliveries: readonly MessageDelivery[];
	readonly history: MessageHistory;
};

export type PartName = keyof MessageParts;

/** Result of reading a part. */
export type ReadPart<T> =
	/** The part changed before it was read. */
	| {readonly status: 'unread'}
	/** `isStale`: it may have changed since, and must be read again. */
	| {readonly status: 'read'; readonly value: T; readonly isStale?: true}
	| {readonly status: 'failed'; readonly reason: string; readonly kind: FailureKind};

/** The message was deleted; the daemon did not respond; or it returned another error. */
export type FailureKind = 'gone' | 'unanswered' | 'refused';

/** Message with the ids of its URL, and the parts that were read. */
export type CachedMessage = Omit<OpenMessage, 'tab'> & {
	readonly parts: {readonly [Name in PartName]?: ReadPart<MessageParts[Name]>};
};

export const frameWidths = {phone: 375, tablet: 768, desktop: undefined} as const;

export type FrameWidth = keyof typeof frameWidths;

/** Cache of the messages that were open last, newest first, and the width for HTML. */
export type MessageState = {readonly cached: readonly CachedMessage[]; readonly width: FrameWidth};

export const noMessage: MessageState = {cached: [], width: 'desktop'};

/** Query for deliveries of an endpoint. */
export type DeliveryQuery = {
	readonly endpointId: string;
	readonly page: number;
	readonly status?: DeliveryStatus | undefined;
	readonly event?: WebhookEvent | undefined;
};

/** Page of deliveries, newest first. */
export type DeliveryPage = {
	readonly query: DeliveryQuery;
	readonly rows: readonly DeliveryBody[];
	/** Number of deliveries on all pages. */
	readonly total: number;
};

export type WebhooksState = {
	/** Oldest first; undefined until they were read. */
	readonly endpoints: readonly EndpointBody[] | undefined;
	/** Secret of a new endpoint, until the user hides it. It cannot be read again. */
	readonly created: {readonly id: string; readonly secret: string} | undefined;
	/** Query that the user chose last. */
	readonly query: DeliveryQuery | undefined;
	/** Page that was read last. */
	readonly deliveries: DeliveryPage | undefined;
	/** Open delivery that is not on the page, or the reason why it could not be read. */
	readonly single: {readonly id: string; readonly delivery: DeliveryBody | string} | undefined;
	/** Increases when the data may have changed. There is no event for endpoints. */
	readonly listRevision: number;
	readonly deliveriesRevision: number;
	/** Names of the last answered requests; `''` before the first. */
	readonly endpointsRead: string;
	readonly deliveriesRead: string;
	readonly singleRead: string;
};

export const noWebhooks: WebhooksState = {
	endpoints: undefined,
	created: undefined,
	query: undefined,
	deliveries: undefined,
	single: undefined,
	listRevision: 0,
	deliveriesRevision: 0,
	endpointsRead: '',
	deliveriesRead: '',
	singleRead: '',
};

/** Hits of one fault, or (undefined) of all; newest first. */
export type HitPage = {
	readonly inboxId: string | null;
	readonly faultId: string | undefined;
	readonly rows: readonly FaultHitBody[];
	/** Number of all hits. */
	readonly total: number;
};

export type FaultsState = {
	/** Faults of an inbox, or (null) of the daemon, in the order of evaluation; undefined until they were read. */
	readonly list: {readonly inboxId: string | null; readonly rows: readonly FaultBody[]} | undefined;
	readonly hits: HitPage | undefined;
	/** Reason why the faults could not be read. */
	readonly problem: string | undefined;
	/** Increases when the data may have changed. There is no event for mail that a fault lets pass. */
	readonly listRevision: number;
	readonly hitsRevision: number;
	/** Names of the last answered requests; `''` before the first. */
	readonly faultsRead: string;
	readonly hitsRead: string;
};

export const noFaults: FaultsState = {
	list: undefined,
	hits: undefined,
	problem: undefined,
	listRevision: 0,
	hitsRevision: 0,
	faultsRead: '',
	hitsRead: '',
};

/** Pending delete of a message, an inbox, or all messages of an inbox (`mail`). It can be undone for a moment. */
export type Removal = {
	/** Id of the message or inbox. */
	readonly id: string;
	readonly kind: 'message' | 'inbox' | 'mail';
	readonly inboxId: string;
	/** Deleted object, as in "the inbox a@tinbox.test". */
	readonly what: string;
	/** Id of the newest message that `mail` deletes. */
	readonly upTo?: string | undefined;
	/** Number of messages that `mail` deletes. */
	readonly count?: number | undefined;
};

/** Everything that the page shows. */
export type WebState = {
	readonly account: Account;
	readonly route: Route;
	readonly feed: FeedStatus;
	/** Increases when everything must be read again; 0 until the live feed is connected. */
	readonly revision: number;
	readonly inboxes: InboxesState;
	/** Revision for which the inboxes were read. */
	readonly inboxesRevision: number;
	/** Events received while the inboxes are being read, which the answer may lack. */
	readonly inboxEvents: readonly EventBody[];
	readonly unseen: UnseenByInbox;
	readonly list: MessageListState;
	readonly message: MessageState;
	readonly webhooks: WebhooksState;
	readonly faults: FaultsState;
	/** Deletes that can still be undone. */
	readonly removals: readonly Removal[];
	readonly notice: Notice | undefined;
	readonly dialog: WebDialog | undefined;
};

export type WebStore = Store<WebState>;

export type WebUpdate = Update<WebState>;

export function initialState(route: Route): WebState {
	return {
		account: {status: 'unknown'},
		route,
		feed: {status: 'connecting'},
		revision: 0,
		inboxes: noInboxes,
		inboxesRevision: 0,
		inboxEvents: [],
		unseen: new Map(),
		list: noMessageList,
		message: noMessage,
		webhooks: noWebhooks,
		faults: noFaults,
		removals: [],
		notice: undefined,
		dialog: undefined,
	};
}

/** The state without any data of the account, and with the reason for an involuntary logout. */
export function loggedOut({route, account, notice}: WebState, reason?: string): WebState {
	// Several requests can fail for the same reason: the first notice stays.
	const before = account.status === 'out' ? notice : undefined;
	const shown = reason === undefined ? before : ({text: reason, tone: 'error'} as const);
	return {...initialState(route), account: {status: 'out'}, notice: shown};
}
