import {addressFields} from '../../../contract/descriptions.js';
import {fitTo, wrap} from '../../../lib/text/columns.js';
import {type Tab, tabs, tabWords} from '../../core/keys.js';
import {type PaneName, type PreviewState, panes, type WatchState} from './state.js';

/** Maximum number of lines of a notice, and minimum number of other rows. */
const maxNotice = 4;
const minRest = 5;

/** Lines of the notice below the panes; none while a dialog uses their place. */
export function noticeLines({notice, dialog, size: {columns, rows}}: WatchState): readonly string[] {
	if (notice === undefined || (dialog !== undefined && dialog.type !== 'help')) {
		return [];
	}

	const height = Math.max(1, Math.min(maxNotice, rows - minRest));
	const text = fitTo(notice.text, height * columns).trimEnd();
	return wrap(text, columns - 1).slice(0, height);
}

/** Number of rows above the text of an open message: title, sender, recipients, subject, tabs. */
export function headHeight({message}: PreviewState): number {
	return 3 + (message ? addressFields(message).length : 2);
}

/** Width of the border between two panes: a space and a line. */
export const borderWidth = 2;

/** Pane in view with its width. */
type PlacedPane = {readonly pane: PaneName; readonly width: number};

/** Panes in view from left to right, and their height including titles. */
export function layoutOf(state: WatchState) {
	const {columns, rows} = state.size;
	// The status line is above the panes; the notice or the hints are below.
	const paneHeight = rows - 1 - Math.max(1, noticeLines(state).length);
	return {paneHeight, panes: placePanes(state.screen, focusOf(state), columns)};
}

/** Pane that receives the keys. */
export function focusOf({screen, focus}: WatchState): PaneName {
	return focus[screen];
}

/** Share of the left pane in the width of the screen, beside two other panes and beside one. */
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

/** Divides the width; the last pane gets the remainder. */
function share(width: number, ...parts: ReadonlyArray<readonly [pane: PaneName, part: number]>): readonly PlacedPane[] {
	const room = width - (parts.length - 1) * borderWidth;
	let left = room;
	return parts.map(([pane, part], index) => {
		const columns = index === parts.length - 1 ? left : Math.floor(room * part);
		left -= columns;
		return {pane, width: columns};
	});
}

/** Number of rows of a list, without its title. */
export function listHeight(state: WatchState): number {
	return Math.max(1, layoutOf(state).paneHeight - 1);
}

/** Number of rows for the text of an open message. */
export function readingHeight(state: WatchState): number {
	return Math.max(1, layoutOf(state).paneHeight - headHeight(state.preview));
}

/** Width of the text of an open message, delivery or hit, without a margin of one column on each side. */
export function readingWidth(state: WatchState): number {
	const open = layoutOf({...state, focus: {mail: 'preview', webhooks: 'delivery', faults: 'hit'}}).panes.at(-1);
	return (open?.width ?? 0) - 2;
}

/** Labels of the tabs, the gap between them, and the numbers in them. */
type TabLabels = {
	readonly texts: readonly string[];
	readonly gap: string;
	readonly counts: Partial<Record<Tab, number>>;
};

type LabelledPreview = Pick<PreviewState, 'tab' | 'message'>;

/** Labels for panes with little room. */
const shortWords: typeof tabWords = {...tabWords, codes: 'Codes'};

/**
 * Labels that fit into `width` columns, such as `1 Text  2 HTML …`. The first choice has keys, words and counts; the
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

/** Tab whose label, or the gap after it, is in a column, counted from 0. */
export function tabAt(preview: LabelledPreview, width: number, column: number): Tab | undefined {
	const {texts, gap} = tabLabels(preview, width);
	let end = 1;
	return tabs.find((_, index) => {
		end += (texts[index]?.length ?? 0) + gap.length;
		return column < end;
	});
}
