import type {FullMessageBody} from '../../../contract/messages.js';
import {partOf, shownTab} from '../state/message.js';
import {openIn} from '../state/open-list.js';
import {type MessageTab, messageTabs} from '../state/route.js';
import type {Web} from '../web.js';
import {tell} from './attempt.js';
import {showTab} from './message.js';

/** The message that is open, once it was read. */
export function openedMessage({store}: Pick<Web, 'store'>): FullMessageBody | undefined {
	const state = store.get();
	const open = openIn(state);
	const part = open && partOf(state.message, open, 'message');
	return part?.status === 'read' ? part.value : undefined;
}

/** The tabs that a message has. */
export function tabsOf({html}: Pick<FullMessageBody, 'html'>): readonly MessageTab[] {
	return messageTabs.filter(tab => tab !== 'html' || html !== '');
}

/** Opens the tab that is so many further on; after the last comes the first. */
export function openTabBeside(web: Web, by: number): void {
	const message = openedMessage(web);
	if (message) {
		const there = tabsOf(message);
		const index = there.indexOf(shownTab(message, openIn(web.store.get())?.tab)) + by;
		showTab(web, there.at(index % there.length) ?? 'text');
	}
}

/** Opens the page of the message in a tab of its own. */
export function showPreview(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		window.open(path, '_blank', 'noopener');
	}
}

/** Downloads the first attachment, or the one that the keyboard is at. */
export function fetchAttachment(web: Web): void {
	const message = openedMessage(web);
	const [first] = message?.attachments ?? [];
	const link = document.activeElement?.closest('li')?.querySelector<HTMLAnchorElement>('a[download]');
	const path = previewPath(web);
	if (link) {
		link.click();
	} else if (message && !first) {
		tell(web, 'This message has no attachments.');
	} else if (first && path !== undefined) {
		download(`${path}/attachments/${encodeURIComponent(first.id)}`);
	}
}

/** Downloads the open message as it was received. */
export function fetchMessage(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		download(`${path}/raw`);
	}
}

/** Where the open message is shown in isolation, once that is known. */
function previewPath({store}: Web): string | undefined {
	const state = store.get();
	const open = openIn(state);
	const part = open && partOf(state.message, open, 'preview');
	return part?.status === 'read' ? part.value.path : undefined;
}

function download(href: string): void {
	const link = document.createElement('a');
	link.href = href;
	link.download = '';
	link.click();
}
