import {ApiError} from '../../../client/errors.js';
import {plainLine} from '../../../lib/text/sanitize.js';
import {errorNotice} from '../../core/store.js';
import type {Web} from '../context.js';

/** Runs an action and shows a failure as a notice. Returns whether it succeeded. */
export async function attempt({store}: Web, action: () => Promise<unknown>): Promise<boolean> {
	try {
		await action();
		return true;
	} catch (error) {
		if (!isLoggedOut(error)) {
			store.update({notice: errorNotice(error)});
		}

		return false;
	}
}

/** True for the error of an ended session, which the login page explains. */
export function isLoggedOut(error: unknown): boolean {
	return error instanceof ApiError && error.status === 401;
}

/** Shows a notice. */
export function notify({store}: Pick<Web, 'store'>, text: string): void {
	store.update({notice: {text, tone: 'info'}});
}

/** Copies a text and shows a notice. Copied text is often pasted into terminals, so it is reduced to one line without control characters. */
export async function copyToClipboard(web: Pick<Web, 'store'>, text: string): Promise<void> {
	const plain = plainLine(text);
	await (navigator.clipboard ? navigator.clipboard.writeText(plain) : copySelected(plain));
	notify(web, `Copied ${plain}`);
}

/** Copies without the clipboard API, which browsers only offer on loopback and over https. */
async function copySelected(text: string): Promise<void> {
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
