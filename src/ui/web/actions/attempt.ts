import {ApiError} from '../../../client/errors.js';
import {causeOf} from '../../../lib/errors.js';
import type {Web} from '../web.js';

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
