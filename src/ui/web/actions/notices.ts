import {ApiError} from '../../../client/errors.js';
import {causeOf} from '../../../lib/errors.js';
import {plainLine} from '../../../lib/text/sanitize.js';
import type {Web} from '../context.js';

/** Does it, and shows why where it fails. Whether it was done. */
export async function attempt({store}: Web, work: () => Promise<unknown>): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		if (!isLoggedOut(error)) {
			store.update({notice: {text: causeOf(error), tone: 'error'}});
		}

		return false;
	}
}

/** The login page says so. */
export function isLoggedOut(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** Says what was done. */
export function tell({store}: Pick<Web, 'store'>, text: string): void {
	store.update({notice: {text, tone: 'info'}});
}

/** Copies a text and says so. What is copied gets pasted into terminals, so that it is no more than one line of text. */
export async function copyToClipboard(web: Pick<Web, 'store'>, text: string): Promise<void> {
	const plain = plainLine(text);
	await copyExactly(plain);
	tell(web, `Copied ${plain}`);
}

/** Rejects where the browser does not let the page. */
async function copyExactly(text: string): Promise<void> {
	if (!navigator.clipboard) {
		copySelected(text);
		return;
	}

	await navigator.clipboard.writeText(text);
}

/** For pages that were reached neither over loopback nor by https, which have no other clipboard. */
function copySelected(text: string): void {
	const opener = document.activeElement;
	const field = document.createElement('textarea');
	field.value = text;
	(document.querySelector('dialog[open]') ?? document.body).append(field);
	field.select();
	const isCopied = document.execCommand('copy');
	field.remove();
	if (opener instanceof HTMLElement) {
		opener.focus();
	}

	if (!isCopied) {
		throw new Error('The browser blocked the clipboard. Copy the text yourself.');
	}
}
