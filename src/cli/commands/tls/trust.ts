import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {Command} from 'commander';
import {shellQuote} from '../../../lib/text/sanitize.js';
import type {Context, Io} from '../../context.js';
import {addHelpNote} from '../../help/layout.js';
import {Exit, exitCodes, usageError} from '../../output/exit.js';
import {note} from '../../output/print.js';
import {authorityOf} from '../../trust/authority.js';
import {authorityFolders, keepAuthority} from '../../trust/authority-folders.js';
import {type CommandLine, findSystemStore, type SystemStore} from '../../trust/system-store.js';

type TrustFlags = {readonly yes?: boolean};

const yesFlag = ['--yes', 'do not ask for confirmation'] as const;

export function addTrust(tls: Command, context: Context): void {
	addHelpNote(
		tls.command('trust'),
		'Prints the commands before running them, and needs root. Programs with the variables of "tinbox tls env" do not need this.',
	)
		.description('add the CA to the trust store of the system')
		.option(...yesFlag)
		.action(async (flags: TrustFlags) => {
			const store = await systemStore(context);
			const folder = await keepAuthority(await authorityOf(context), context.paths);
			if (!(await store.trusts(folder))) {
				await change(store.add(folder), flags, context);
			}

			note(context.io, 'The system trusts the CA. To undo this: tinbox tls untrust');
		});
}

export function addUntrust(tls: Command, context: Context): void {
	tls
		.command('untrust')
		.description('remove the CA, and earlier ones, from the trust store of the system')
		.option(...yesFlag)
		.action(async (flags: TrustFlags) => {
			const store = await systemStore(context);
			const lines: CommandLine[] = [];
			for (const folder of await authorityFolders(context.paths)) {
				lines.push(...((await store.has(folder)) ? await store.remove(folder) : []));
			}

			if (lines.length > 0) {
				await change(lines, flags, context);
			}

			note(context.io, 'The system does not trust a CA of this tinbox.');
		});
}

async function systemStore({env}: Pick<Context, 'env'>): Promise<SystemStore> {
	const store = await findSystemStore(env);
	if (!store) {
		throw new Exit(exitCodes.failed, 'no_store', 'No supported trust store was found on this system.', {
			hint: 'Configure single programs: eval "$(tinbox tls env)", or import the output of "tinbox tls ca"',
		});
	}

	return store;
}

/** Runs the commands, when the user agrees and may. */
async function change(lines: readonly CommandLine[], {yes}: TrustFlags, {io}: Pick<Context, 'io'>): Promise<void> {
	const isRoot = process.getuid?.() === 0;
	const listed = lines.map(line => `  ${[...(isRoot ? [] : ['sudo']), ...line].map(shellQuote).join(' ')}`);
	if (!isRoot) {
		throw new Exit(exitCodes.denied, 'not_root', 'Only root can change the trust store of the system.', {
			hint: `Run this yourself:\n${listed.join('\n')}`,
		});
	}

	io.stderr.write(`This changes the trust store of the system:\n${listed.join('\n')}\n`);
	if (!yes && !(await agrees(io))) {
		throw new Exit(exitCodes.failed, 'not_confirmed', 'Nothing was changed.');
	}

	for (const [index, [program = '', ...args]] of lines.entries()) {
		const child = spawn(program, args, {stdio: ['ignore', 2, 2]});
		const [code, signal] = await once(child, 'exit');
		if (code !== 0) {
			throw new Exit(exitCodes.failed, 'command_failed', `"${program}" failed: ${signal ?? `exit code ${code}`}.`, {
				hint: `Commands that were not completed:\n${listed.slice(index).join('\n')}`,
			});
		}
	}
}

async function agrees({stdin, stderr}: Io): Promise<boolean> {
	if (!stdin.isTTY) {
		throw usageError('Cannot ask for confirmation: stdin is not a terminal.', 'Confirm with --yes.');
	}

	const {createInterface} = await import('node:readline');
	const terminal = createInterface({input: stdin});
	terminal.once('SIGINT', () => {
		terminal.close();
		process.kill(process.pid, 'SIGINT');
	});
	stderr.write('Continue? [y/N] ');
	try {
		const [answer = ''] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
		return /^y(es)?$/i.test(answer.trim());
	} finally {
		terminal.close();
	}
}
