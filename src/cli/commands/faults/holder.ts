import type {Command} from 'commander';
import type {Client} from '../../../client/index.js';
import {faultPresets} from '../../../contract/fault-presets.js';
import type {FaultBody} from '../../../contract/faults.js';
import {shellQuote} from '../../../lib/text/sanitize.js';
import type {Context} from '../../context.js';
import {findInbox, onlyOne} from '../../find.js';
import {notFound, usageError} from '../../output/exit.js';

/** The owner of faults: an inbox or the daemon. */
export type FaultHolder = {
	readonly client: Client;
	/** Null: the daemon. */
	readonly inboxId: string | null;
	/** As a sentence names it. */
	readonly name: string;
	/** As a command line names it. */
	readonly words: string;
};

export type HolderFlag = {readonly daemon?: boolean};

/** Characters of an id, from its end, that a list shows people and by which they may name a fault. */
export const shownOfId = 8;

export const faultArgument = ['[fault]', 'name or id of the fault'] as const;

/** Gives a command the argument for an inbox, and the flag that stands in its place; then a further argument. */
export function addHolder(command: Command, [name, description]: readonly [string, string]): Command {
	return command
		.usage(`[options] [inbox] ${name}`)
		.argument('[inbox]', 'id, address or name; omit with --daemon')
		.argument(name, description)
		.option('--daemon', 'the daemon (all connections) instead of an inbox');
}

/** What the operands name: the holder, if it is an inbox, and what comes after that. */
export function readOperands(
	operands: readonly string[],
	{daemon}: HolderFlag,
): {readonly inbox: string | undefined; readonly further: string | undefined} {
	const [first, second] = operands;
	if (daemon) {
		if (second !== undefined) {
			throw usageError('Specify an inbox or use --daemon, not both.', `For the daemon, omit "${first}".`);
		}

		return {inbox: undefined, further: first};
	}

	if (first === undefined) {
		throw usageError(
			'Specify an inbox by its id, address or name.',
			'For all connections, use --daemon instead of the inbox.',
		);
	}

	if (second === undefined && first in faultPresets) {
		throw usageError(`Specify an inbox before "${first}".`, 'For all connections, use --daemon instead of the inbox.');
	}

	return {inbox: first, further: second};
}

export async function findHolder({api}: Pick<Context, 'api'>, inbox: string | undefined): Promise<FaultHolder> {
	const client = await api();
	if (inbox === undefined) {
		return {client, inboxId: null, name: 'the daemon', words: '--daemon'};
	}

	const {id, email_address} = await findInbox(client, inbox);
	return {client, inboxId: id, name: email_address, words: shellQuote(email_address)};
}

/** The fault with this id, the end of it, or this name. If several have the name, the error lists them. */
export async function findFault({client, inboxId, name, words}: FaultHolder, text: string): Promise<FaultBody> {
	const faults = await client.faults.list(inboxId);
	const named = faults.filter(fault => fault.name === text);
	const found =
		faults.find(({id}) => id === text || (text.length >= shownOfId && id.endsWith(text))) ??
		onlyOne(named, `faults have the name "${text}"`, 'id', ({id}) => id);
	if (!found) {
		throw notFound(`${name} has no fault "${text}".`, await whereInstead({client, inboxId, words}, faults, text));
	}

	return found;
}

/** What was meant, as far as is known: a fault of the daemon, or another one here, or one that has yet to be made. */
async function whereInstead(
	{client, inboxId, words}: Pick<FaultHolder, 'client' | 'inboxId' | 'words'>,
	faults: readonly FaultBody[],
	text: string,
): Promise<string> {
	// None where the caller may not know those of the daemon.
	const others = inboxId === null ? [] : await client.faults.list(null).catch(() => []);
	if (others.some(fault => fault.name === text)) {
		return 'The daemon has a fault with this name: use --daemon instead of the inbox.';
	}

	const known = new Set(faults.map(fault => fault.name ?? fault.id));
	const there = known.size === 0 ? '' : `Its faults: ${[...known].join(', ')}. `;
	return `${there}Add one: tinbox faults add ${words} ${Object.hasOwn(faultPresets, text) ? text : '<preset>'}`;
}
