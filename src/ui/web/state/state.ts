import type {EventBody} from '../../../contract/events.js';
import {type InboxesState, noInboxes, type UnseenByInbox} from '../../core/inboxes.js';
import type {Copyable} from '../../core/keys.js';
import type {FeedStatus, Notice} from '../../core/store.js';
import {type FaultsState, noFaults} from './faults.js';
import {type MessageState, noMessage} from './message.js';
import {type MessageListState, noMessageList} from './message-list.js';
import type {Removal} from './removals.js';
import type {Route} from './route.js';
import {noWebhooks, type WebhooksState} from './webhooks.js';

/** Who is logged in; `unknown` until the daemon said so. */
type Account = {readonly status: 'unknown' | 'out'} | {readonly status: 'in'; readonly email: string};

/** What waits for an answer, above all else. */
export type WebDialog =
	| {readonly type: 'help' | 'new inbox' | 'new endpoint'}
	/** Which of several texts to copy. */
	| {readonly type: 'copy'; readonly items: readonly Copyable[]}
	/** Where to send mail to an inbox, and with which login. */
	| {readonly type: 'smtp login'; readonly inboxId: string}
	| {
			readonly type: 'question';
			readonly text: string;
			/** The word on the button that does it. */
			readonly yes: string;
			readonly onYes: () => Promise<void>;
	  };

/** Everything that the page shows. */
export type WebState = {
	readonly account: Account;
	readonly route: Route;
	readonly feed: FeedStatus;
	/** Counts up when everything must be read again; 0 until the live feed is connected. */
	readonly revision: number;
	readonly inboxes: InboxesState;
	/** The revision for which the inboxes were read. */
	readonly inboxesRevision: number;
	/** What the feed told while they are read: the answer may not know of it. */
	readonly toldMeanwhile: readonly EventBody[];
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

/** Before anything was read. */
export function startState(route: Route): WebState {
	return {
		account: {status: 'unknown'},
		route,
		feed: {status: 'connecting'},
		revision: 0,
		inboxes: noInboxes,
		inboxesRevision: 0,
		toldMeanwhile: [],
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

/** The same place, with nothing of whoever was logged in, and why if that was not asked for. */
export function loggedOut({route, account, notice}: WebState, reason?: string): WebState {
	// It is heard of more than once.
	const known = account.status === 'out' ? notice : undefined;
	const told = reason === undefined ? known : ({text: reason, tone: 'error'} as const);
	return {...startState(route), account: {status: 'out'}, notice: told};
}

/** The parts of the state that become others, or a pure function that finds them. */
export type WebUpdate = Partial<WebState> | ((state: WebState) => Partial<WebState>);

export type WebStore = ReturnType<typeof createWebStore>;

/** Keeps the state, changes it, and calls its listeners after every change. */
export function createWebStore(initial: WebState) {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		update(update: WebUpdate) {
			const parts = typeof update === 'function' ? update(state) : update;
			if (parts === state || Object.entries(parts).every(([name, part]) => state[name as keyof WebState] === part)) {
				return;
			}

			state = {...state, ...parts};
			for (const listener of listeners) {
				listener();
			}
		},
		/** Adds a listener; what it gives takes it away. */
		subscribe(listener: () => void): () => void {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}
