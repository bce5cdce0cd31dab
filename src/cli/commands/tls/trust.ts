import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {Command} from 'commander';
import {shellQuote} from '../../../lib/sanitize.js';
import type {Context, Io} from '../../context.js';
import {Exit, exitCodes, usageError} from '../../output/exit.js';
import {note} from '../../output/print.js';
import {authorityOf} from '../../trust/authority.js';
import {authorityFolders, keepAuthority} from '../../trust/authority-folders.js';
import {type CommandLine, findSystemStore, type SystemStore} from '../../trust/system-store.js';

type TrustFlags = {readonly yes?: boolean};

const yesFlag = ['--yes', 'do it without asking'] as const;

export function addTrust(tls: Command, context: Context): void {
	tls
		.command('trust')
		.description("put the authority into the system's own store")
		.option(...yesFlag)
		.addHelpText(
			'after',
			'\nIt says first what it does, which only root may. Programs that are told by "tinbox tls env" need none of it.',
		)
		.action(async (flags: TrustFlags) => {
			const store = await systemStore(context);
			const folder = await keepAuthority(await authorityOf(context), context.paths);
			if (!(await store.trusts(folder))) {
				await change(store.add(folder), flags, context);
			}

			note(context.io, 'The system trusts the authority. To undo that: tinbox tls untrust');
		});
}

export function addUntrust(tls: Command, context: Context): void {
	tls
		.command('untrust')
		.description('undo "tinbox tls trust", also where the daemon has another authority by now')
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

			note(context.io, 'The system trusts no authority of this tinbox.');
		});
}

async function systemStore({env}: Pick<Context, 'env'>): Promise<SystemStore> {
	const store = await findSystemStore(env);
	if (!store) {
		throw new Exit(exitCodes.failed, 'no_store', 'tinbox knows no store of authorities on this system.', {
			hint: 'Have programs trust it one by one: eval "$(tinbox tls env)", or import what "tinbox tls ca" prints',
		});
	}

	return store;
}

/** Runs the commands, when the user agrees and may. */
async function change(lines: readonly CommandLine[], {yes}: TrustFlags, {io}: Pick<Context, 'io'>): Promise<void> {
	const isRoot = process.getuid?.() === 0;
	const listed = lines.map(line => `  ${[...(isRoot ? [] : ['sudo']), ...line].map(shellQuote).join(' ')}`);
	if (!isRoot) {
		throw new Exit(exitCodes.denied, 'not_root', "Only root may change the system's store.", {
			hint: `Run this yourself:\n${listed.join('\n')}`,
		});
	}

	io.stderr.write(`This changes the system's store:\n${listed.join('\n')}\n`);
	if (!yes && !(await agrees(io))) {
		throw new Exit(exitCodes.failed, 'not_confirmed', 'Nothing was changed.');
	}

	for (const [index, [program = '', ...args]] of lines.entries()) {
		const child = spawn(program, args, {stdio: ['ignore', 2, 2]});
		const [code, signal] = await once(child, 'exit');
		if (code !== 0) {
			throw new Exit(exitCodes.failed, 'command_failed', `"${program}" ended with ${signal ?? code}.`, {
				hint: `What is left to run:\n${listed.slice(index).join('\n')}`,
			});
		}
	}
}

async function agrees({stdin, stderr}: Io): Promise<boolean> {
	if (!stdin.isTTY) {
		throw usageError('Nobody is there to be asked.', 'Agree beforehand with --yes.');
	}

	const {createInterface} = await import('node:readline');
	const terminal = createInterface({input: stdin});
	terminal.once('SIGINT', () => {
		terminal.close();
		process.kill(process.pid, 'SIGINT');
	});
	stderr.write('Do it? [y/N] ');
	try {
		const [answer = ''] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')]);
		return /^y(es)?$/i.test(answer.trim());
	} finally {
		terminal.close();
	}
}
