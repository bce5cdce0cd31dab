import {latest} from '../../contract/constants.js';
import {AppError, found} from '../../domain/errors.js';
import type {Inbox} from '../../domain/inbox.js';
import type {Message} from '../../domain/message.js';
import type {MessageStore} from '../../store/store.js';

/** A part of an id that may name a message. */
const idPart = /^[\da-f-]{6,35}$/;

/** How many ids an error names. */
const maxNamed = 5;

/**
 * The message of an inbox with this id, or with the only one that begins or ends so, or the latest. Throws `not_found`, and
 * `ambiguous` for a part that several ids have.
 */
export async function namedMessage(
	messages: Pick<MessageStore, 'get' | 'list' | 'walk'>,
	{id: inboxId, address}: Inbox,
	name: string,
): Promise<Message> {
	if (name === latest) {
		const [newest] = await messages.list(inboxId, {}, {page: 1, limit: 1});
		return found(newest, `There are no messages in ${address} yet.`);
	}

	const known = await messages.get(name);
	const part = name.toLowerCase();
	const named = known ? [known] : idPart.test(part) ? await withPart(messages.walk(inboxId, {}), part) : [];
	if (named.length > 1) {
		const ids = named.slice(0, maxNamed).map(({id}) => id);
		const more = named.length > maxNamed ? ', and more' : '';
		throw new AppError(
			'ambiguous',
			`Several message ids begin or end with "${name}": ${ids.join(', ')}${more}. Use more characters of the id.`,
		);
	}

	const [message] = named;
	return found(message?.inboxId === inboxId && message, `There is no message "${name}" in this inbox.`);
}

/** The newest that have it, as many as are told of. */
async function withPart(all: AsyncIterable<readonly Message[]>, part: string): Promise<readonly Message[]> {
	const having: Message[] = [];
	for await (const messages of all) {
		having.push(...messages.filter(({id}) => id.startsWith(part) || id.endsWith(part)));
		if (having.length > maxNamed) {
			break;
		}
	}

	return having;
}
