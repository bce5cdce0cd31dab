import {tabs} from './tabs.js';

/** Keys, and what they do. */
export type KeyWords = {
	/** The first one is shown in hints. */
	readonly keys: readonly string[];
	readonly does: string;
	/** The command of the CLI that does the same. */
	readonly command?: string;
};

/** What has the same keys in the terminal and in the browser. */
export const keyWords = {
	down: {keys: ['j', 'down'], does: 'down'},
	up: {keys: ['k', 'up'], does: 'up'},
	first: {keys: ['g', 'home'], does: 'to the first row'},
	last: {keys: ['G', 'end'], does: 'to the last row'},
	back: {keys: ['escape'], does: 'out of filter or search, or back'},
	webhooks: {keys: ['w'], does: 'webhooks, or back to mail'},
	faults: {keys: ['F'], does: 'faults of the inbox, or back', command: 'faults list, faults hits'},
	filter: {keys: ['/'], does: 'filter inboxes or messages', command: 'messages list'},
	follow: {keys: ['f'], does: 'follow the newest, or stop', command: 'messages tail'},
	unseen: {keys: ['u'], does: 'next inbox with new mail'},
	newInbox: {keys: ['n'], does: 'new inbox', command: 'inbox create'},
	remove: {keys: ['d'], does: 'delete inbox or message', command: 'inbox delete, messages delete'},
	nextTab: {keys: [']'], does: 'next tab of the message'},
	tabBefore: {keys: ['['], does: 'tab before'},
	saveAttachment: {keys: ['s'], does: 'save the attachment', command: 'messages save --attachment'},
	saveMessage: {keys: ['S'], does: 'save the message', command: 'messages save'},
	redeliver: {keys: ['r'], does: 'redeliver', command: 'webhooks redeliver'},
	test: {keys: ['t'], does: 'send a test', command: 'webhooks test'},
	removeFault: {keys: ['d'], does: 'delete the fault', command: 'faults clear'},
	copy: {keys: ['y'], does: 'copy address, code, link or id', command: 'messages show --field'},
	help: {keys: ['?'], does: 'this help'},
} as const satisfies Readonly<Record<string, KeyWords>>;

/** The words of the key that opens a tab, by its place among them. */
export function tabWordsAt(index: number, tab: string): KeyWords {
	return {
		keys: [String(index + 1)],
		does: `tab ${tab}`,
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
