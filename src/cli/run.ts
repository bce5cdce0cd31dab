import {type Command, CommanderError} from 'commander';
import {safeJson, sanitizeText} from '../lib/sanitize.js';
import type {Context} from './context.js';
import {type ExitCode, exitCodes} from './exit.js';
import {describeFailure} from './failure.js';
import {createProgram} from './program.js';

/** Runs one command line and gives its exit code: the only place where errors become exit codes. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
	const args = argv.length === 0 ? ['--help'] : bareJson(argv);
	const program = createProgram(context, args);
	try {
		await program.parseAsync(args, {from: 'user'});
		return exitCodes.ok;
	} catch (error) {
		if (error instanceof CommanderError && isHelp(error)) {
			return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
		}

		return fail(error, context, args, program);
	}
}

function fail(error: unknown, {io, env}: Context, args: readonly string[], program: Command): ExitCode {
	const {exitCode, code, message, hint = helpFor(error, program, args), details, isUnexpected} = describeFailure(error);
	if (wantsJson(args)) {
		io.stderr.write(`${safeJson({error: {code, message, ...(hint !== undefined && {hint}), ...details}})}\n`);
	} else {
		io.stderr.write(`${sanitizeText([message, hint].filter(text => text !== undefined).join('\n'))}\n`);
	}

	if (env['TINBOX_DEBUG'] && error instanceof Error && (isUnexpected || error.cause !== undefined)) {
		io.stderr.write(
			`${sanitizeText(error.stack ?? '')}\n${error.cause === undefined ? '' : `${sanitizeText(String(error.cause))}\n`}`,
		);
	}

	return exitCode;
}

/** A bare `--json` takes no value: else it would swallow the argument behind it. */
function bareJson(argv: readonly string[]): readonly string[] {
	return beforeDashes(argv)
		.map(arg => (arg === '--json' ? '--json=' : arg))
		.concat(argv.slice(beforeDashes(argv).length));
}

function wantsJson(args: readonly string[]): boolean {
	return beforeDashes(args).some(arg => arg.startsWith('--json='));
}

/** What belongs to tinbox itself; behind `--` comes somebody else's command. */
function beforeDashes(args: readonly string[]): readonly string[] {
	const dashes = args.indexOf('--');
	return dashes < 0 ? args : args.slice(0, dashes);
}

function isHelp({code}: CommanderError): boolean {
	return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

/** For a mistake in the arguments: where the right ones are explained. */
function helpFor(error: unknown, program: Command, args: readonly string[]): string | undefined {
	if (!(error instanceof CommanderError)) {
		return undefined;
	}

	const words = ['tinbox'];
	let command: Command | undefined = program;
	for (const arg of args) {
		command = command.commands.find(candidate => candidate.name() === arg);
		if (command === undefined) {
			break;
		}

		words.push(arg);
	}

	return `See: ${words.join(' ')} --help`;
}
