/** The views of a message. */
export const tabs = ['text', 'html', 'headers', 'attachments', 'codes', 'source'] as const;

export type Tab = (typeof tabs)[number];

/** The labels of the tabs. */
export const tabWords: Readonly<Record<Tab, string>> = {
	text: 'Text',
	html: 'HTML',
	headers: 'Headers',
	attachments: 'Attachments',
	codes: 'Codes & links',
	source: 'Source',
};

/** Keys, and what they do. */
export type KeyWords = {
	/** The first one is shown in hints. */
	readonly keys: readonly string[];
	readonly does: string;
	/** The command of the CLI that does the same. */
	readonly command?: string;
};

/** The keys that work in the terminal and in the browser. */
export const keyWords = {
	down: {keys: ['j', 'down'], does: 'Move down'},
	up: {keys: ['k', 'up'], does: 'Move up'},
	first: {keys: ['g', 'home'], does: 'Go to the first row'},
	last: {keys: ['G', 'end'], does: 'Go to the last row'},
	back: {keys: ['escape'], does: 'Clear search or go back'},
	webhooks: {keys: ['w'], does: 'Open or close webhooks'},
	faults: {keys: ['F'], does: 'Open or close faults', command: 'faults list, faults hits'},
	filter: {keys: ['/'], does: 'Filter inboxes or messages', command: 'messages list'},
	follow: {keys: ['f'], does: 'Auto-open new mail (on/off)', command: 'messages tail'},
	unseen: {keys: ['u'], does: 'Next inbox with new mail'},
	newInbox: {keys: ['n'], does: 'New inbox', command: 'inbox create'},
	remove: {keys: ['d'], does: 'Delete inbox or message', command: 'inbox delete, messages delete'},
	nextTab: {keys: [']'], does: 'Next tab'},
	tabBefore: {keys: ['['], does: 'Previous tab'},
	saveAttachment: {keys: ['s'], does: 'Save the attachment', command: 'messages save --attachment'},
	saveMessage: {keys: ['S'], does: 'Save the message', command: 'messages save'},
	redeliver: {keys: ['r'], does: 'Redeliver', command: 'webhooks redeliver'},
	test: {keys: ['t'], does: 'Send a test', command: 'webhooks test'},
	removeFault: {keys: ['d'], does: 'Delete the fault', command: 'faults clear'},
	copy: {keys: ['y'], does: 'Copy address, code, link or ID', command: 'messages show --field'},
	help: {keys: ['?'], does: 'Show this help'},
} as const satisfies Readonly<Record<string, KeyWords>>;

/** The key that opens the tab with this index, and its help text. */
export function tabWordsAt(index: number, tab: string): KeyWords {
	return {
		keys: [String(index + 1)],
		does: `Open the ${tab} tab`,
		...(index < tabs.length && {command: 'messages show'}),
	};
}

const labels: Readonly<Record<string, string>> = {
	' ': 'space',
	escape: 'esc',
	up: '↑',
	down: '↓',
	left: '←',
	right: '→',
	pageup: 'pgup',
	pagedown: 'pgdn',
};

/** A key as people write it. */
export function keyLabel(key: string): string {
	return labels[key] ?? key.replace('ctrl+', '^').replace('shift+', '⇧');
}

/** A text that can be copied, and the key that copies it. */
export type Copyable = {readonly key: string; readonly label: string; readonly text: string};

/** Those of the texts that there are, by their keys. */
export function copyablesOf(
	items: Readonly<Record<string, readonly [label: string, text: string | undefined]>>,
): readonly Copyable[] {
	return Object.entries(items).flatMap(([key, [label, text]]) => (text === undefined ? [] : [{key, label, text}]));
}
