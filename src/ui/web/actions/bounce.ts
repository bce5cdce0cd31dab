import type {BounceBody} from '../../../contract/bounces.js';
import type {BounceKind} from '../../../contract/constants.js';
import {sanitizeLine} from '../../../lib/sanitize.js';
import {withStalePart} from '../state/message.js';
import type {OpenMessage} from '../state/route.js';
import type {Web} from '../web.js';
import {tell} from './attempt.js';

const words: Readonly<Record<BounceKind, string>> = {
	bounce: 'Sent a bounce',
	complaint: 'Sent a spam complaint',
	autoreply: 'Sent an automatic reply',
};

/** Has a bounce, a complaint or an automatic reply come back to the sender, and says so. */
export async function bounceMessage(web: Web, open: OpenMessage, kind: BounceKind): Promise<void> {
	const {sender} = await sent(web.api, open, kind);
	web.store.update(({message}) => ({message: withStalePart(message, open, 'history')}));
	tell(web, `${words[kind]} to ${sanitizeLine(sender)}.`);
}

async function sent(
	{messages}: Web['api'],
	{inboxId, messageId: id}: OpenMessage,
	kind: BounceKind,
): Promise<BounceBody> {
	switch (kind) {
		case 'bounce':
			return messages.bounce(inboxId, id);
		case 'complaint':
			return messages.complain(inboxId, id);
		case 'autoreply':
			return messages.autoreply(inboxId, id);
	}
}
