import {addressFields} from '../../../contract/descriptions.js';
import {fitTo, wrap} from '../../../lib/text/columns.js';
import {type Tab, tabs, tabWords} from '../../core/keys.js';
import {type PaneName, type PreviewState, panes, type WatchState} from './state.js';

/** Lines of a notice at most, and rows that it leaves to the rest. */
const maxNotice = 4;
const minRest = 5;

/** What was last said, below the panes: as many lines as it takes; none where a dialog waits there. */
export function noticeLines({notice, dialog, size: {columns, rows}}: WatchState): readonly string[] {
	if (notice === undefined || (dialog !== undefined && dialog.type !== 'help')) {
		return [];
	}

	const height = Math.max(1, Math.min(maxNotice, rows - minRest));
	const text = fitTo(notice.text, height * columns).trimEnd();
	return wrap(text, columns - 1).slice(0, height);
}

/** Rows above the text of an open message: title, sender, recipients, subject, tabs. */
export function headHeight({message}: PreviewState): number {
	return 3 + (message ? addressFields(message).length : 2);
}

/** Columns between two panes: one free, and a line. */
export const borderWidth = 2;

/** A pane in view, and its columns. */
type PlacedPane = {readonly pane: PaneName; readonly width: number};

/** The panes in view from left to right, with a border between each two, and their rows, titles included. */
export function layoutOf(state: WatchState) {
	const {columns, rows} = state.size;
	// Above the panes is the status line, below them the notice or a line of keys.
	const paneHeight = rows - 1 - Math.max(1, noticeLines(state).length);
	return {paneHeight, panes: placePanes(state.screen, focusOf(state), columns)};
}

/** The pane that gets the keys. */
export function focusOf({screen, focus}: WatchState): PaneName {
	return focus[screen];
}

/** What the left pane of a screen has of the width, beside two others and beside one. A fault says in a row what it does. */
const leftParts = {mail: [0.22, 0.4], webhooks: [0.22, 0.4], faults: [0.34, 0.56]} as const;

function placePanes(screen: WatchState['screen'], focus: PaneName, width: number): readonly PlacedPane[] {
	const [left, middle, right] = panes[screen];
	const [ofThree, ofTwo] = leftParts[screen];
	if (width >= 120) {
		const rest = (1 - ofThree) / 2;
		return share(width, [left, ofThree], [middle, rest], [right, rest]);
	}

	if (width >= 80) {
		return focus === left
			? share(width, [left, ofTwo], [middle, 1 - ofTwo])
			: share(width, [middle, 0.46], [right, 0.54]);
	}

	return [{pane: focus, width}];
}

/** The last pane takes what rounding leaves. */
function share(width: number, ...parts: ReadonlyArray<readonly [pane: PaneName, part: number]>): readonly PlacedPane[] {
	const room = width - (parts.length - 1) * borderWidth;
	let left = room;
	return parts.map(([pane, part], index) => {
		const columns = index === parts.length - 1 ? left : Math.floor(room * part);
		left -= columns;
		return {pane, width: columns};
	});
}

/** Rows of a list, below its title. */
export function listHeight(state: WatchState): number {
	return Math.max(1, layoutOf(state).paneHeight - 1);
}

/** Rows for the text of an open message. */
export function readingHeight(state: WatchState): number {
	return Math.max(1, layoutOf(state).paneHeight - headHeight(state.preview));
}

/** Columns for the text of an open message, delivery or hit, whether in view or not; one is left free at each side. */
export function readingWidth(state: WatchState): number {
	const open = layoutOf({...state, focus: {mail: 'preview', webhooks: 'delivery', faults: 'hit'}}).panes.at(-1);
	return (open?.width ?? 0) - 2;
}

/** The labels of the tabs, what is between each two, and how much is in some of them. */
type TabLabels = {
	readonly texts: readonly string[];
	readonly gap: string;
	readonly counts: Partial<Record<Tab, number>>;
};

type LabelledPreview = Pick<PreviewState, 'tab' | 'message'>;

/** Labels for panes with little room. */
const shortWords: typeof tabWords = {...tabWords, codes: 'Codes'};

/**
 * The labels that fit into `width` columns, such as `1 Text  2 HTML …`. The first choice has keys, words and counts; the
 * others drop the keys, then the counts. In the narrowest panes only the open tab and tabs with a count keep their words.
 * A space precedes the first label.
 */
export function tabLabels({tab: open, message}: LabelledPreview, width: number): TabLabels {
	const counts: TabLabels['counts'] = message
		? {attachments: message.attachments.length, codes: message.codes.length + message.links.length}
		: {};
	const countedWith = (words: typeof tabWords) =>
		tabs.map(tab => `${words[tab]}${counts[tab] ? ` ${counts[tab]}` : ''}`);
	const keyedWith = (words: typeof tabWords) => countedWith(words).map((text, index) => `${index + 1} ${text}`);
	const counted = countedWith(shortWords);
	const keyed = keyedWith(shortWords);
	const short = tabs.map((tab, index) => (tab === open || counts[tab] ? (keyed[index] ?? tab) : `${index + 1}`));
	const choices: readonly TabLabels[] = [
		{texts: keyedWith(tabWords), gap: '  ', counts},
		{texts: keyed, gap: '  ', counts},
		{texts: counted, gap: ' ', counts},
		{texts: tabs.map(tab => shortWords[tab]), gap: ' ', counts},
	];
	return choices.find(({texts, gap}) => texts.join(gap).length < width) ?? {texts: short, gap: '  ', counts};
}

/** The tab whose label is in a column, counted from 0; a gap belongs to the one before it. */
export function tabAt(preview: LabelledPreview, width: number, column: number): Tab | undefined {
	const {texts, gap} = tabLabels(preview, width);
	let end = 1;
	return tabs.find((_, index) => {
		end += (texts[index]?.length ?? 0) + gap.length;
		return column < end;
	});
}
