import type {EventBody} from '../../../contract/events.js';
import type {FeedStatus} from '../../core/feed.js';
import {type InboxesState, noInboxes, type UnseenByInbox} from '../../core/inboxes.js';
import type {Copyable} from '../../core/keys.js';
import type {RowRange} from '../../core/list.js';
import {emptyMessageList, type MessageList} from '../../core/message-list.js';
import type {Notice, Store, Update} from '../../core/store.js';
import {type FaultsState, noFaults} from './faults.js';
import {type MessageState, noMessage} from './message.js';
import type {Removal} from './removals.js';
import type {FilterProblem, Route} from './route.js';
import {noWebhooks, type WebhooksState} from './webhooks.js';

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

/** List of messages of one place, with what the page shows of it. */
export type MessageListState = MessageList & {
	/** Key of the place. */
	readonly key: string;
	/** Number of arrivals above the view. */
	readonly above: number;
	/** True if the newest message is opened as it arrives. */
	readonly follow: boolean;
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
	follow: false,
	view: {start: 0, end: rowsPerRead},
	problem: undefined,
	target: {index: 0, number: 0},
	step: undefined,
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
