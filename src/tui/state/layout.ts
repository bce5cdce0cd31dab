import {type MailPane, mailPanes, type Pane, type State, type WebhookPane, webhookPanes} from './state.js';

/** Rows beside the panes: the status line and the line of keys. */
const linesAround = 2;

/** Rows above the body of an open message: title, sender, recipient, subject, tabs. */
export const headLines = 5;

/** Columns between two panes: one free, and a line. */
export const borderWidth = 2;

export type PlacedPane = {readonly pane: Pane; readonly width: number};

export type Layout = {
	readonly width: number;
	readonly height: number;
	/** Rows of the panes, their titles included. */
	readonly paneHeight: number;
	readonly panes: readonly PlacedPane[];
};

/** Which panes are in view, from left to right, and how wide; there is a border between two of them. */
export function layoutOf(state: Pick<State, 'size' | 'screen' | 'mailPane' | 'webhookPane'>): Layout {
	const {columns: width, rows: height} = state.size;
	return {width, height, paneHeight: height - linesAround, panes: placePanes(orderOf(state), focusOf(state), width)};
}

/** The pane that gets the keys. */
export function focusOf({screen, mailPane, webhookPane}: Pick<State, 'screen' | 'mailPane' | 'webhookPane'>): Pane {
	return screen === 'mail' ? mailPane : webhookPane;
}

function orderOf({screen}: Pick<State, 'screen'>): readonly [Pane, Pane, Pane] {
	return screen === 'mail' ? mailPanes : webhookPanes;
}

function placePanes([left, middle, right]: readonly [Pane, Pane, Pane], focus: Pane, width: number): PlacedPane[] {
	if (width >= 120) {
		return share(width, [left, 0.23], [middle, 0.37], [right, 0.4]);
	}

	if (width >= 80) {
		return focus === left ? share(width, [left, 0.4], [middle, 0.6]) : share(width, [middle, 0.45], [right, 0.55]);
	}

	return [{pane: focus, width}];
}

/** The last pane takes what rounding leaves. */
function share(width: number, ...parts: ReadonlyArray<readonly [pane: Pane, part: number]>): PlacedPane[] {
	const room = width - (parts.length - 1) * borderWidth;
	let left = room;
	return parts.map(([pane, part], index) => {
		const columns = index === parts.length - 1 ? left : Math.floor(room * part);
		left -= columns;
		return {pane, width: columns};
	});
}

/** Rows of a list, below its title. */
export function listHeight(state: State): number {
	return Math.max(1, layoutOf(state).paneHeight - 1);
}

/** Rows of the body of an open message. */
export function bodyHeight(state: State): number {
	return Math.max(1, layoutOf(state).paneHeight - headLines);
}

/** Columns for the text of an open message or delivery, whether it is in view or not; one is left free at each side. */
export function readingWidth(state: State): number {
	const reading = {mailPane: 'preview', webhookPane: 'delivery'} satisfies {
		mailPane: MailPane;
		webhookPane: WebhookPane;
	};
	return (layoutOf({...state, ...reading}).panes.at(-1)?.width ?? 0) - 2;
}
