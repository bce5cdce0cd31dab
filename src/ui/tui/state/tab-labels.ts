import {type Tab, tabs, tabWords} from '../../core/tabs.js';
import type {PreviewState} from './state.js';

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
