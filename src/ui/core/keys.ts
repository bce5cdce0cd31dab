/** Tabs of a message. */
export const tabs = ['text', 'html', 'headers', 'attachments', 'codes', 'source'] as const;

export type Tab = (typeof tabs)[number];

/** Labels of the tabs. */
export const tabWords: Readonly<Record<Tab, string>> = {
	text: 'Text',
	html: 'HTML',
	headers: 'Headers',
	attachments: 'Attachments',
	codes: 'Codes & links',
	source: 'Source',
};

/** Keys with their help text. */
export type KeyWords = {
	/** Alternatives; hints show the first one. */
	readonly keys: readonly string[];
	readonly does: string;
	/** Command of the CLI that does the same. */
	readonly command?: string;
};

/** Keys that work in the terminal and in the browser. */
export const keyWords = {
	down: {keys: ['j', 'down'], does: 'Move down'},
	up: {keys: ['k', 'up'], does: 'Move up'},
	first: {keys: ['g', 'home'], does: 'Go to the first row'},
	last: {keys: ['G', 'end'], does: 'Go to the last row'},
	back: {keys: ['escape'], does: 'Clear search or go back'},
	webhooks: {keys: ['w'], does: 'Open or close webhooks'},
	faults: {keys: ['F'], does: 'Open or close faults', command: 'faults list, faults hits'},
	filter: {keys: ['/'], does: 'Filter inboxes or messages', command: 'messages list'},
	autoOpen: {keys: ['f'], does: 'Auto-open new mail (on/off)', command: 'messages tail'},
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

/** Key that opens the tab with this index, and its help text. */
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

/** Label of a key. */
export function keyLabel(key: string): string {
	return labels[key] ?? key.replace('ctrl+', '^').replace('shift+', '⇧');
}

/** Group of bindings in the help, for the same panes or screens. */
export type Chapter<Place extends string, Binding extends KeyWords> = {
	readonly title: string;
	/** Panes or screens in which the keys work; undefined for all. */
	readonly places?: readonly Place[];
	readonly bindings: readonly Binding[];
};

/** Binding of a key; undefined for none. Chapters for fewer places take precedence. */
export function bindingOf<Place extends string, Binding extends KeyWords>(
	chapters: ReadonlyArray<Chapter<Place, Binding>>,
	key: string,
	place: Place,
): Binding | undefined {
	return chapters
		.filter(({places = [place]}) => places.includes(place))
		.sort((a, b) => (a.places?.length ?? Infinity) - (b.places?.length ?? Infinity))
		.flatMap(({bindings}) => bindings)
		.find(({keys}) => keys.includes(key));
}

/** Text to copy, with the key that copies it. */
export type Copyable = {readonly key: string; readonly label: string; readonly text: string};

/** Key and label of each text that can be copied. */
const copyWords = {
	code: ['c', 'code'],
	link: ['l', 'link'],
	url: ['u', 'URL'],
	address: ['a', 'address'],
	reply: ['r', 'reply'],
	id: ['i', 'ID'],
	endpointId: ['e', 'endpoint ID'],
	deliveryId: ['d', 'delivery ID'],
	faultId: ['f', 'fault ID'],
	hitId: ['h', 'hit ID'],
	messageId: ['m', 'message ID'],
	pageUrl: ['p', 'page URL'],
} as const;

/** Texts that can be copied; empty for what is not selected. */
type CopySource = {readonly [Name in keyof typeof copyWords]?: string | null | undefined};

/** Menu of the texts that exist. */
export function copyablesOf(source: CopySource): readonly Copyable[] {
	return (Object.keys(copyWords) as Array<keyof CopySource>).flatMap(name => {
		const [key, label] = copyWords[name];
		const text = source[name];
		return text === undefined || text === null ? [] : [{key, label, text}];
	});
}
