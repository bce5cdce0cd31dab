import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import {type InboxesState, noInboxes, type UnseenByInbox} from '../../core/inboxes.js';
import type {Copyable, Tab} from '../../core/keys.js';
import {emptyList, type RowList} from '../../core/list.js';
import type {FeedStatus, Notice} from '../../core/store.js';
import {type FaultPanes, noFaultPanes} from './faults.js';

/** The daemon, for the status line. */
export type About = {
	/** Base address of the API. */
	readonly url: string;
	/** `host:port` of the SMTP listener; undefined for a daemon elsewhere, where it is not known. */
	readonly smtp: string | undefined;
	/** The beginning of the API key, if there is one. */
	readonly key: string | undefined;
};

/** The size of the terminal in characters. */
export type Size = {readonly columns: number; readonly rows: number};

/** The panes of each screen, from left to right. */
export const panes = {
	mail: ['inboxes', 'messages', 'preview'],
	webhooks: ['endpoints', 'deliveries', 'delivery'],
	faults: ['faults', 'hits', 'hit'],
} as const;
export type PaneName = (typeof panes)[keyof typeof panes][number];

/** Asks for a text. */
export type InputDialog = {
	readonly type: 'input';
	readonly purpose: 'filter inboxes' | 'filter messages' | 'search message' | 'name inbox';
	readonly text: string;
	/** The row that was selected before, and is so again when the text lets it. */
	readonly selected?: string | undefined;
	/** The line of the message from which on it is searched. */
	readonly from?: number;
};

/** What waits for an answer; until then it gets all keys. */
export type Dialog =
	| {readonly type: 'help'; readonly top: number}
	| {readonly type: 'question'; readonly text: string; readonly onYes: () => Promise<void>}
	| InputDialog
	| {readonly type: 'copy'; readonly items: readonly Copyable[]};

/** A message in the list, and what else the filter looks at: codes and recipients, a line each, once they were read. */
export type MessageRow = MessageSummaryBody & {readonly also?: string};

/** What was read of the messages of an inbox, newest first, and whether that reaches to the oldest. */
export type ReadInbox = {readonly rows: readonly MessageRow[]; readonly complete: boolean};

/** The messages of the selected inbox, or of all. */
export type MessagesState = {
	/** The selected row of the inboxes. */
	readonly inboxId: string | undefined;
	/** By the id of the inbox. */
	readonly read: ReadonlyMap<string, ReadInbox>;
	/** All that were read so far, newest first. */
	readonly all: readonly MessageRow[];
	/** Those that match the filter. */
	readonly shown: RowList<MessageRow>;
	readonly filter: string;
	/** Whether the newest message is selected as it arrives. */
	readonly follow: boolean;
	/** How many arrived above the selected one since it was selected. */
	readonly above: number;
	/** Whether `all` reaches to the oldest message. */
	readonly complete: boolean;
	/** Whether the oldest message is to be selected, for which all must be read. */
	readonly toOldest: boolean;
	/** Ids of deleted messages, which a page that was requested earlier may still hold. */
	readonly gone: ReadonlySet<string>;
};

/** The message that is open beside the list. */
export type PreviewState = {
	readonly message: FullMessageBody | undefined;
	/** Undefined until the tab that shows it is opened. */
	readonly source: string | undefined;
	readonly tab: Tab;
	/** The text of the tab, wrapped to the width of the pane. */
	readonly lines: readonly string[];
	/** The first line in view. */
	readonly top: number;
	/** The selected attachment, code or link. */
	readonly item: number;
	/** The text that is looked for; `''` is none. */
	readonly search: string;
	/** The line with that text that was gone to. */
	readonly match: number | undefined;
	/** Where the browser finds the message, once it was asked for. */
	readonly page: string | undefined;
	/** Whether it takes long to read the message. */
	readonly isSlow: boolean;
};

export type WebhookPanes = {
	readonly endpoints: RowList<EndpointBody>;
	/** The deliveries of the selected endpoint that were read. */
	readonly deliveries: RowList<DeliveryBody>;
	/** How many deliveries the selected endpoint has. */
	readonly total: number;
	/** Counts up when the endpoints may have changed; there is no event for that. */
	readonly endpointsRevision: number;
	/** Counts up when deliveries of the selected endpoint changed. */
	readonly deliveriesRevision: number;
	/** The requests that the endpoints and the deliveries came from; `''` before the first. */
	readonly endpointsRead: string;
	readonly deliveriesRead: string;
	/** The open delivery, wrapped to the width of the pane, and the first line in view. */
	readonly lines: readonly string[];
	readonly top: number;
};

/** Everything that the screens show. */
export type WatchState = {
	readonly about: About;
	readonly size: Size;
	readonly feed: FeedStatus;
	/** Counts up when everything must be read again; 0 until the live feed is connected. */
	readonly revision: number;
	readonly screen: keyof typeof panes;
	/** The pane of each screen that gets the keys while the screen is shown. */
	readonly focus: Readonly<Record<keyof typeof panes, PaneName>>;
	readonly dialog: Dialog | undefined;
	/** Below the panes, until the next key. */
	readonly notice: Notice | undefined;
	readonly inboxes: InboxesState;
	/** The revision of the state for which the inboxes were read. */
	readonly inboxesRevision: number;
	readonly messages: MessagesState;
	readonly preview: PreviewState;
	readonly webhooks: WebhookPanes;
	readonly faults: FaultPanes;
	readonly unseen: UnseenByInbox;
};

export const noMessages: MessagesState = {
	inboxId: undefined,
	read: new Map(),
	all: [],
	shown: emptyList,
	filter: '',
	follow: true,
	above: 0,
	complete: false,
	toOldest: false,
	gone: new Set(),
};

/** Before anything was read. */
export function initialState(about: About, size: Size): WatchState {
	return {
		about,
		size,
		feed: {status: 'connecting'},
		revision: 0,
		screen: 'mail',
		focus: {mail: 'inboxes', webhooks: 'endpoints', faults: 'faults'},
		dialog: undefined,
		notice: undefined,
		inboxes: noInboxes,
		inboxesRevision: 0,
		messages: noMessages,
		preview: {
			message: undefined,
			source: undefined,
			tab: 'text',
			lines: [],
			top: 0,
			item: 0,
			search: '',
			match: undefined,
			page: undefined,
			isSlow: false,
		},
		webhooks: {
			endpoints: emptyList,
			deliveries: emptyList,
			total: 0,
			endpointsRevision: 0,
			deliveriesRevision: 0,
			endpointsRead: '',
			deliveriesRead: '',
			lines: [],
			top: 0,
		},
		faults: noFaultPanes,
		unseen: new Map(),
	};
}
