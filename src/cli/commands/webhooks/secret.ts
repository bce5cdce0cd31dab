import {readFile} from 'node:fs/promises';
import {type Command, Option} from 'commander';
import {addHelpNote} from '../../help/layout.js';

export type SecretFlags = {readonly secret?: string; readonly secretFile?: string};

const variable = 'TINBOX_WEBHOOK_SECRET';

/** Gives a command the flags for a signing secret; other users of the machine can see it in a flag, but not in a file. */
export function addSecretFlags(command: Command): Command {
	return command
		.addOption(new Option('--secret <text>', 'signing secret').conflicts('secretFile'))
		.option('--secret-file <file>', 'file with the signing secret');
}

/** The same; where no flag is given, the environment says the secret. */
export function addSecretOrVariable(command: Command): Command {
	return addHelpNote(addSecretFlags(command), `The secret can also be set in ${variable}.`);
}

/** The secret of the flags; undefined when there is none. The line break at the end of a file is no part of it. */
export async function secretOf({secret, secretFile}: SecretFlags): Promise<string | undefined> {
	return secretFile === undefined ? secret : (await readFile(secretFile, 'utf8')).replace(/\r?\n$/, '');
}

/** The secret of the flags, else that of the environment. */
export async function secretOrVariable(flags: SecretFlags, env: NodeJS.ProcessEnv): Promise<string | undefined> {
	return (await secretOf(flags)) ?? (env[variable] || undefined);
}
