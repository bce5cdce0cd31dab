import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {note} from '../../output.js';

export type RevokeOptions = {readonly id: string};

export function addRevoke(parent: Command, context: Context, run = runRevoke): void {
	parent
		.command('revoke')
		.description('end an API key for good')
		.argument('<id>', 'id of the key, as in the list')
		.action(async (id: string) => run({id}, context));
}

export async function runRevoke({id}: RevokeOptions, {io, account}: Context): Promise<void> {
	const {keys} = await account();
	await keys.revoke(id);
	note(io, `Revoked ${id}.`);
}
