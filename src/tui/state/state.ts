import type {InboxBody} from '../../contract/inboxes.js';
import type {FullMessageBody, MessageSummaryBody} from '../../contract/messages.js';
import type {DeliveryBody, EndpointBody} from '../../contract/webhooks.js';
import {emptyList, type List} from './list.js';
import type {Unseen} from './unseen.js';

/** What the status line tells of the daemon. */
export type About = {
	/** Base address of the API. */
	readonly url: string;
	/** `host:port` of the SMTP listener; undefined for a daemon elsewhere, which does not tell. */
	readonly smtp: string | undefined;
	/** The beginning of the API key, if there is one. */
	readonly key: string | undefined;
};

export type Size = {readonly columns: number; readonly rows: number};

export const mailPanes = ['inboxes', 'messages', 'preview'] as const;
export const webhookPanes = ['endpoints', 'deliveries', 'delivery'] as const;
export type MailPane = (typeof mailPanes)[number];
export type WebhookPane = (typeof webhookPanes)[number];
export type Pane = MailPane | WebhookPane;

export const tabs = ['text', 'html', 'headers', 'attachments', 'codes', 'source'] as const;
export type Tab = (typeof tabs)[number];

/** The connection to the live feed. */
export type Live = {readonly status: 'connecting' | 'live'} | {readonly status: 'lost'; readonly reason: string};

export type Copyable = {readonly key: string; readonly label: string; readonly text: string};

/** What waits for an answer before anything else; it gets the keys. */
export type Dialog =
	| {readonly type: 'help'; readonly top: number}
	| {readonly type: 'question'; readonly text: string; readonly request: Request}
	| {readonly type: 'input'; readonly purpose: 'filter' | 'inbox'; readonly text: string}
	| {readonly type: 'copy'; readonly items: readonly Copyable[]};

/** What is done once a question was answered with yes. */
export type Request =
	| {readonly type: 'delete inbox'; readonly inboxId: string}
	| {readonly type: 'delete message'; readonly inboxId: string; readonly messageId: string};

export type Notice = {readonly text: string; readonly tone: 'info' | 'error'};

/** The messages of the selected inbox. */
export type Messages = {
	readonly inboxId: string | undefined;
	/** All that were read so far, newest first. */
	readonly all: readonly MessageSummaryBody[];
	/** Those that match the filter. */
	readonly shown: List<MessageSummaryBody>;
	readonly filter: string;
	/** Whether the newest message is selected as it comes. */
	readonly follow: boolean;
	/** How many came above the selected one since it was selected. */
	readonly above: number;
	/** Whether `all` reaches to the oldest message. */
	readonly complete: boolean;
	/** Whether the oldest message is to be selected, for which all must be read. */
	readonly toOldest: boolean;
	/** Ids of deleted messages, which a page that was asked for earlier may still hold. */
	readonly gone: ReadonlySet<string>;
};

/** The message that is open beside the list. */
export type Preview = {
	readonly message: FullMessageBody | undefined;
	/** Undefined until the tab that shows it is opened. */
	readonly source: string | undefined;
	readonly tab: Tab;
	/** The body of the tab, fitted to the pane. */
	readonly lines: readonly string[];
	/** The first line in view. */
	readonly top: number;
	/** The selected attachment, code or link. */
	readonly item: number;
};

export type Webhooks = {
	readonly endpoints: List<EndpointBody>;
	readonly deliveries: List<DeliveryBody>;
	/** Deliveries of the selected endpoint in all. */
	readonly total: number;
	/** Moves on when the endpoints may have changed, of which no event tells. */
	readonly endpointsTurn: number;
	/** Names what the endpoints were read for: the turn and the revision of the state. */
	readonly endpointsRead: string;
	/** Moves on when deliveries of the selected endpoint changed. */
	readonly deliveriesRevision: number;
	/** Names what the deliveries were read for: the endpoint and both revisions. */
	readonly deliveriesRead: string;
	/** The first line of the open delivery in view. */
	readonly top: number;
	/** The open delivery, fitted to the pane. */
	readonly lines: readonly string[];
};

export type State = {
	readonly about: About;
	readonly size: Size;
	readonly live: Live;
	/** Moves on when everything must be read again; 0 until the live feed stands. */
	readonly revision: number;
	readonly screen: 'mail' | 'webhooks';
	readonly mailPane: MailPane;
	readonly webhookPane: WebhookPane;
	readonly dialog: Dialog | undefined;
	readonly notice: Notice | undefined;
	readonly inboxes: List<InboxBody>;
	/** The revision of the state that the inboxes were read for. */
	readonly inboxesRevision: number;
	readonly messages: Messages;
	readonly preview: Preview;
	readonly webhooks: Webhooks;
	/** By the id of the inbox. */
	readonly unseen: ReadonlyMap<string, Unseen>;
};

export function initialState(about: About, size: Size): State {
	return {
		about,
		size,
		live: {status: 'connecting'},
		revision: 0,
		screen: 'mail',
		mailPane: 'inboxes',
		webhookPane: 'endpoints',
		dialog: undefined,
		notice: undefined,
		inboxes: emptyList,
		inboxesRevision: 0,
		messages: noMessages,
		preview: noPreview,
		webhooks: noWebhooks,
		unseen: new Map(),
	};
}

export const noMessages: Messages = {
	inboxId: undefined,
	all: [],
	shown: emptyList,
	filter: '',
	follow: true,
	above: 0,
	complete: false,
	toOldest: false,
	gone: new Set(),
};

const noPreview: Preview = {message: undefined, source: undefined, tab: 'text', lines: [], top: 0, item: 0};

const noWebhooks: Webhooks = {
	endpoints: emptyList,
	endpointsTurn: 0,
	endpointsRead: '',
	deliveries: emptyList,
	deliveriesRevision: 0,
	deliveriesRead: '',
	total: 0,
	top: 0,
	lines: [],
};
