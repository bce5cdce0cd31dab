import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants} from 'node:os';
import type {Io} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';

/** How a command ended. */
export type Ending = {
	/** As in a shell: 128 plus the signal's number for a command that died by a signal. */
	readonly code: number;
	readonly signal: NodeJS.Signals | null;
	/** Whether tinbox itself was interrupted as well. */
	readonly isInterrupted: boolean;
};

/** Signals that end programs. A terminal sends the typed ones to every program in the foreground. */
const typed: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const endings: readonly NodeJS.Signals[] = [...typed, 'SIGTERM', 'SIGHUP'];

/** What shells exit with when a command cannot be executed, or is not found. */
const cannotExecute = 126;
const commandNotFound = 127;

/**
 * Runs a command on our own stdin, stdout and stderr and forwards signals to it; a signal that comes before it is started
 * keeps it from being started. `prepare` makes its environment.
 */
export async function runChild(
	[program = '', ...args]: readonly string[],
	io: Io,
	prepare: () => Promise<NodeJS.ProcessEnv>,
): Promise<Ending> {
	const hasTerminal = [io.stdin, io.stdout, io.stderr].some(({isTTY}) => isTTY);
	let received: NodeJS.Signals | undefined;
	let pass = (_: NodeJS.Signals): unknown => undefined;
	const onSignal = (signal: NodeJS.Signals) => {
		received = signal;
		pass(signal);
	};
	for (const signal of endings) {
		process.on(signal, onSignal);
	}

	try {
		const env = await prepare();
		if (received) {
			return ending(null, received, true);
		}

		const child = spawn(program, args, {stdio: 'inherit', env});
		pass = signal => (hasTerminal && typed.includes(signal)) || child.kill(signal);
		const [code, signal] = await once(child, 'exit');
		return ending(code, signal, received !== undefined);
	} catch (error) {
		throw explain(error, program);
	} finally {
		for (const signal of endings) {
			process.off(signal, onSignal);
		}
	}
}

function ending(code: number | null, signal: NodeJS.Signals | null, isInterrupted: boolean): Ending {
	return {code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal, isInterrupted};
}

function explain(error: unknown, program: string): unknown {
	if (!(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn') && 'code' in error)) {
		return error;
	}

	return error.code === 'ENOENT'
		? new Exit(commandNotFound, 'command_not_found', `Command not found: ${program}`)
		: error.code === 'EACCES'
			? new Exit(cannotExecute, 'cannot_execute', `Permission denied: ${program}`)
			: new Exit(exitCodes.failed, 'system', `Cannot run "${program}": ${error.message}.`);
}
