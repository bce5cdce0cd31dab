import {type Command, CommanderError} from 'commander';
import {safeJson, sanitizeLine, sanitizeText} from '../lib/text/sanitize.js';
import type {Context} from './context.js';
import {createContext} from './create-context.js';
import {closeBareJson, wantsJson} from './options.js';
import {exitCodes} from './output/exit.js';
import {createProgram} from './program.js';

/** Runs the command line of this process and sets its exit code. */
export async function main(process: NodeJS.Process): Promise<void> {
	const [, program = '', ...args] = process.argv;
	// A symbolic link named "sendmail", for programs with a fixed path.
	const isSendmail = /[\\/]sendmail$/.test(program);
	process.exitCode = await run(isSendmail ? ['sendmail', ...args] : args, createContext(process));
}

/** Runs a command line and returns its exit code. Prints errors. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
	const args = argv.length === 0 ? ['--help'] : closeBareJson(argv);
	const program = await createProgram(context, args);
	try {
		await program.parseAsync(args, {from: 'user'});
		return exitCodes.ok;
	} catch (error) {
		if (error instanceof CommanderError && isHelp(error)) {
			return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
		}

		return await fail(error, context, args, program);
	} finally {
		for (const work of context.atEnd) {
			await work();
		}
	}
}

async function fail(error: unknown, context: Context, args: readonly string[], program: Command): Promise<number> {
	const {io, env} = context;
	const {describeFailure, explainLine} = await import('./output/failure.js');
	const failure = describeFailure(error);
	const {exitCode, code, details} = failure;
	const {message = failure.message, hint = failure.hint} = explainLine(error, {...context, program, args});
	if (wantsJson(args)) {
		io.stderr.write(`${safeJson({error: {code, message, ...(hint !== undefined && {hint}), ...details}})}\n`);
	} else {
		const lines = [message, hint].flatMap(text => text?.split('\n') ?? []);
		io.stderr.write(`${lines.map(sanitizeLine).join('\n')}\n`);
	}

	if (env['TINBOX_DEBUG']) {
		const {inspect} = await import('node:util');
		io.stderr.write(`${sanitizeText(inspect(error))}\n`);
	}

	return exitCode;
}

function isHelp({code}: CommanderError): boolean {
	return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}
