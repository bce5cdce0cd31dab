import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody} from '../../../contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../../contract/webhooks.js';
import type {FaultRow} from '../../core/faults.js';
import type {FeedStatus} from '../../core/feed.js';
import {type InboxesState, noInboxes, type UnseenByInbox} from '../../core/inboxes.js';
import type {Copyable, Tab} from '../../core/keys.js';
import {emptyList, type RowList} from '../../core/list.js';
import type {MessageList, MessageRow} from '../../core/message-list.js';
import type {Notice} from '../../core/store.js';

/** Facts about the daemon for the status line. */
export type About = {
	/** Base URL of the API. */
	readonly url: string;
	/** `host:port` of the SMTP listener; undefined for a remote daemon. */
	readonly smtp: string | undefined;
	/** Prefix of the API key, if there is one. */
	readonly key: string | undefined;
};

/** Size of the terminal in characters. */
export type Size = {readonly columns: number; readonly rows: number};

/** Panes of each screen, from left to right. */
export const panes = {
	mail: ['inboxes', 'messages', 'preview'],
	webhooks: ['endpoints', 'deliveries', 'delivery'],
	faults: ['faults', 'hits', 'hit'],
} as const;
export type PaneName = (typeof panes)[keyof typeof panes][number];

/** Line for entering a text. */
export type InputDialog = {
	readonly type: 'input';
	readonly purpose: 'filter inboxes' | 'filter messages' | 'search message' | 'name inbox';
	readonly text: string;
	/** Row that was selected before, and is selected again if it matches the text. */
	readonly selected?: string | undefined;
	/** First line of the message to search. */
	readonly from?: number;
};

/** Dialog, which receives all keys. */
export type Dialog =
	| {readonly type: 'help'; readonly top: number}
	| {readonly type: 'question'; readonly text: string; readonly onYes: () => Promise<void>}
	| InputDialog
	| {readonly type: 'copy'; readonly items: readonly Copyable[]};

/** Messages of the selected inbox, or of all. */
export type MessagesState = {
	/** Id of the selected row of the inboxes. */
	readonly inboxId: string | undefined;
	/** Lists by the id of the inbox. */
	readonly lists: ReadonlyMap<string, MessageList>;
	/** All rows that were read, newest first. */
	readonly all: readonly MessageRow[];
	/** Rows that match the filter. */
	readonly shown: RowList<MessageRow>;
	readonly filter: string;
	/** True if the newest message is selected as it arrives. */
	readonly autoOpen: boolean;
	/** Number of arrivals since the user selected another message. */
	readonly above: number;
	/** True if `all` contains the oldest message. */
	readonly complete: boolean;
	/** True if the oldest message shall be selected, for which all must be read. */
	readonly toOldest: boolean;
};

/** Message that is open beside the list. */
export type PreviewState = {
	readonly message: FullMessageBody | undefined;
	/** Source; undefined until its tab is opened. */
	readonly source: string | undefined;
	readonly tab: Tab;
	/** Text of the open tab, wrapped to the width of the pane. */
	readonly lines: readonly string[];
	/** First line in view. */
	readonly top: number;
	/** Index of the selected attachment, code or link. */
	readonly item: number;
	/** Search text; `''` for none. */
	readonly search: string;
	/** Line of the current match. */
	readonly match: number | undefined;
	/** URL of the preview page, once it was opened. */
	readonly page: string | undefined;
	/** True if reading the message takes long. */
	readonly isSlow: boolean;
};

/** Screen with a list, the records of its selected row, and the text of one record. */
type RecordPanes<Row extends {readonly id: string}, Item extends {readonly id: string}> = {
	readonly list: RowList<Row>;
	/** Latest records of the selected row, newest first. */
	readonly records: RowList<Item>;
	/** Number of all records of the selected row. */
	readonly total: number;
	/** Increases when the list may have changed. Not every change has an event. */
	readonly listRevision: number;
	/** Increases when a record of the selected row changed. */
	readonly recordsRevision: number;
	/** Names of the last answered requests; `''` before the first. */
	readonly listRead: string;
	readonly recordsRead: string;
	/** Lines of the open record, wrapped to the width of the pane, and the first line in view. */
	readonly lines: readonly string[];
	readonly top: number;
};

export type WebhookPanes = RecordPanes<EndpointBody, DeliveryBody>;

/** Faults, in the order of evaluation below a row for all hits, and their hits. */
export type FaultPanes = RecordPanes<FaultRow, FaultHitBody> & {
	/** Inbox of the faults; null for the daemon, undefined before the inboxes were read. */
	readonly inboxId: string | null | undefined;
};

/** Everything that the terminal UI shows. */
export type WatchState = {
	readonly about: About;
	readonly size: Size;
	readonly feed: FeedStatus;
	/** Increases when everything must be read again; 0 until the live feed is connected. */
	readonly revision: number;
	readonly screen: keyof typeof panes;
	/** Pane of each screen that receives the keys. */
	readonly focus: Readonly<Record<keyof typeof panes, PaneName>>;
	readonly dialog: Dialog | undefined;
	/** Shown below the panes until the next key. */
	readonly notice: Notice | undefined;
	readonly inboxes: InboxesState;
	/** Revision for which the inboxes were read. */
	readonly inboxesRevision: number;
	readonly messages: MessagesState;
	readonly preview: PreviewState;
	readonly webhooks: WebhookPanes;
	readonly faults: FaultPanes;
	readonly unseen: UnseenByInbox;
};

export const noMessages: MessagesState = {
	inboxId: undefined,
	lists: new Map(),
	all: [],
	shown: emptyList,
	filter: '',
	autoOpen: true,
	above: 0,
	complete: false,
	toOldest: false,
};

export const noRecords = {
	list: emptyList,
	records: emptyList,
	total: 0,
	listRevision: 0,
	recordsRevision: 0,
	listRead: '',
	recordsRead: '',
	lines: [],
	top: 0,
} as const;

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
		webhooks: noRecords,
		faults: {...noRecords, inboxId: undefined},
		unseen: new Map(),
	};
}
