import {type Tab, tabs} from '../../screens/tabs.js';
import type {PreviewState} from './state.js';

/** The labels of the tabs, what is between each two, and how much is in some of them. */
type TabLabels = {
	readonly texts: readonly string[];
	readonly gap: string;
	readonly counts: Partial<Record<Tab, number>>;
};

type LabelledPreview = Pick<PreviewState, 'tab' | 'message'>;

/**
 * `1 text  2 html …`, with how much is in some of them; in less room no keys, in still less no numbers. Where not even the
 * words fit, they are there for the open tab and for those that hold something. The first label has a space before it.
 */
export function tabLabels({tab: open, message}: LabelledPreview, width: number): TabLabels {
	const counts: TabLabels['counts'] = message
		? {attachments: message.attachments.length, codes: message.codes.length + message.links.length}
		: {};
	const counted = tabs.map(tab => `${tab}${counts[tab] ? ` ${counts[tab]}` : ''}`);
	const keyed = counted.map((text, index) => `${index + 1} ${text}`);
	const short = tabs.map((tab, index) => (tab === open || counts[tab] ? (keyed[index] ?? tab) : `${index + 1}`));
	const choices: readonly TabLabels[] = [
		{texts: keyed, gap: '  ', counts},
		{texts: counted, gap: ' ', counts},
		{texts: tabs, gap: ' ', counts},
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
