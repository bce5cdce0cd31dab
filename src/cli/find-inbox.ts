import {ApiError} from '../client/errors.js';
import type {Client} from '../client/index.js';
import {takeRows} from '../client/pages.js';
import type {InboxBody} from '../contract/inboxes.js';
import {ambiguous} from './ambiguous.js';
import {Exit, exitCodes} from './exit.js';

/** The inbox with this id, this address (without case) or this name. Several of one name are an error that lists them. */
export async function findInbox({inboxes}: Pick<Client, 'inboxes'>, text: string): Promise<InboxBody> {
	const byId = text.includes('@') ? undefined : await inboxes.get(text).catch(ignoreNotFound);
	if (byId) {
		return byId;
	}

	const all = await takeRows(async page => (await inboxes.list(page)).inboxes, Number.POSITIVE_INFINITY);
	const address = text.toLowerCase();
	const byAddress = all.find(inbox => inbox.email_address === address);
	const [found, ...others] = byAddress ? [byAddress] : all.filter(inbox => inbox.name === text);
	if (!found) {
		throw new Exit(exitCodes.notFound, 'not_found', `There is no inbox "${text}".`, {
			hint: 'See which there are: tinbox inbox list --all',
		});
	}

	if (others.length > 0) {
		const addresses = [found, ...others].map(inbox => inbox.email_address);
		throw ambiguous(`${addresses.length} inboxes have the name "${text}".`, 'address', addresses);
	}

	return found;
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
