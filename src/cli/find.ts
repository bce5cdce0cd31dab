import {findInboxes} from '../client/inboxes.js';
import type {Client} from '../client/index.js';
import {isUuid, latest} from '../contract/constants.js';
import type {InboxBody} from '../contract/inboxes.js';
import type {TeamBody} from '../contract/teams.js';
import type {Context} from './context.js';
import {Exit, exitCodes, notFound} from './output/exit.js';

/** Finds an inbox by id, address (in any case) or name. Throws `Exit` if there is none, or if the name is ambiguous. */
export async function findInbox(client: Pick<Client, 'inboxes'>, text: string): Promise<InboxBody> {
	const named = await findInboxes(client.inboxes, text);
	const found = onlyOne(named, `inboxes have the name "${text}"`, 'address', inbox => inbox.email_address);
	if (!found) {
		throw notFound(`There is no inbox "${text}".`, 'List all inboxes: tinbox inbox list --all');
	}

	return found;
}

/** Finds a message of an inbox by id, end of its id, or `latest`. A complete id is not checked. */
export async function findMessage(
	{api}: Pick<Context, 'api'>,
	inboxName: string,
	text: string,
): Promise<{readonly client: Client; readonly inboxId: string; readonly id: string}> {
	const client = await api();
	const {id: inboxId} = await findInbox(client, inboxName);
	return {client, inboxId, id: isUuid(text) ? text : (await client.messages.get(inboxId, text)).id};
}

/** Resolves `latest` or the end of an id in `--after`. Returns other values unchanged, for the API to parse. */
export async function findAfter(
	{messages}: Pick<Client, 'messages'>,
	inboxId: string,
	text: string | undefined,
): Promise<string | undefined> {
	const isPart = text === latest || (text !== undefined && /^(?!\d{4}-)[\da-f-]{6,35}$/i.test(text));
	return isPart ? (await messages.get(inboxId, text)).id : text;
}

/** Finds a team by id or name. Throws `Exit` if the name is ambiguous. */
export async function findTeam({teams}: Pick<Client, 'teams'>, text: string): Promise<TeamBody> {
	const all = await teams.list();
	const named = all.filter(team => team.name === text);
	return (
		all.find(({id}) => id === text) ??
		onlyOne(named, `teams have the name "${text}"`, 'id', ({id}) => id) ??
		// The API distinguishes unknown teams from teams of other users in its error.
		teams.get(text)
	);
}

/** Resolves a team to its id. Ids are not looked up, because that needs a token. */
export async function teamId(
	text: string | undefined,
	{account}: Pick<Context, 'account'>,
): Promise<string | undefined> {
	return text === undefined || isUuid(text) ? text : (await findTeam(await account(), text)).id;
}

/** Help text of the argument for `findEndpointId`. */
export const endpointArgument = 'endpoint id or URL';

/** Resolves a webhook endpoint to its id. Throws `Exit` if its URL is unknown or ambiguous. */
export async function findEndpointId({webhooks}: Pick<Client, 'webhooks'>, text: string): Promise<string> {
	if (!text.includes('://')) {
		return text;
	}

	const same = (await webhooks.list()).endpoints.filter(({url}) => url === text);
	const found = onlyOne(same, `webhook endpoints have the URL ${text}`, 'id', ({id}) => id);
	if (!found) {
		throw notFound(`There is no webhook endpoint with the URL ${text}.`, 'List all endpoints: tinbox webhooks list');
	}

	return found.id;
}

/** Returns the only match, if any. Throws `Exit` that lists the `key` of each match if there are several. */
export function onlyOne<T>(
	found: readonly T[],
	have: string,
	key: 'id' | 'address',
	keyOf: (one: T) => string,
): T | undefined {
	if (found.length > 1) {
		const candidates = found.map(keyOf);
		throw new Exit(exitCodes.usage, 'ambiguous', `${found.length} ${have}.`, {
			hint: `Use the ${key} of one of them:\n${candidates.map(line => `  ${line}`).join('\n')}`,
			details: {candidates},
		});
	}

	return found[0];
}
