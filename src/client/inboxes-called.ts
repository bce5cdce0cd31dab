import type {InboxBody} from '../contract/inboxes.js';
import {ApiError} from './errors.js';
import type {Client} from './index.js';
import {takeRows} from './pages.js';

/** The inbox with this id or address (in any spelling); else all that have this name. */
export async function inboxesCalled({inboxes}: Pick<Client, 'inboxes'>, text: string): Promise<readonly InboxBody[]> {
	const known = await inboxes.get(text).catch(ignoreNotFound);
	if (known) {
		return [known];
	}

	const all = await takeRows(async page => (await inboxes.list(page)).inboxes, Number.POSITIVE_INFINITY);
	return all.filter(({name}) => name === text);
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
