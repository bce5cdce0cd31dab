import type {Client} from '../client/index.js';
import type {InboxBody} from '../contract/inboxes.js';
import {Exit, exitCodes} from './exit.js';

/** Stands for the newest message of an inbox, or the newest delivery to a webhook endpoint. */
export const latest = 'latest';

export async function findMessageId(
	{messages}: Pick<Client, 'messages'>,
	inbox: InboxBody,
	text: string,
): Promise<string> {
	if (text !== latest) {
		return text;
	}

	const [newest] = await messages.list(inbox.id, {limit: 1});
	if (!newest) {
		throw new Exit(exitCodes.notFound, 'not_found', `There is no message in ${inbox.email_address} yet.`, {
			hint: `Wait for one: tinbox messages wait ${inbox.email_address}`,
		});
	}

	return newest.id;
}
