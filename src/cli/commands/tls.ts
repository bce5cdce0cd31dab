import {spawn} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import type {Command} from 'commander';
import type {DaemonBody} from '../../contract/daemon.js';
import {fieldsOf} from '../../contract/field-names.js';
import {type HostPort, hostPort} from '../../lib/io/hosts.js';
import {shellQuote} from '../../lib/text/sanitize.js';
import type {Context, Io} from '../context.js';
import {addExamples, addHelpNote, type JsonFlag, jsonOption} from '../options.js';
import {Exit, exitCodes, usageError} from '../output/exit.js';
import {note, printExports, printJsonOr, printProperties} from '../output/print.js';
import {
	authorityFolders,
	authorityOf,
	type CommandLine,
	findSystemStore,
	keepAuthority,
	type SystemStore,
	trustEnv,
	trustVariables,
} from '../trust.js';

export function addTlsCommands(tls: Command, context: Context): void {
	addShow(tls, context);
	addCa(tls, context);
	addEnv(tls, context);
	addTrust(tls, context);
	addUntrust(tls, context);
}

type TrustFlags = {readonly yes?: boolean};

const yesFlag = ['--yes', 'do not ask for confirmation'] as const;

function addTrust(tls: Command, context: Context): void {
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
				await runCommands(store.add(folder), flags, context);
			}

			note(context.io, 'The system trusts the CA. To undo this: tinbox tls untrust');
		});
}

function addUntrust(tls: Command, context: Context): void {
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
				await runCommands(lines, flags, context);
			}

			note(context.io, 'The system does not trust a CA of this tinbox.');
		});
}

async function systemStore({env}: Context): Promise<SystemStore> {
	const store = await findSystemStore(env);
	if (!store) {
		throw new Exit(exitCodes.failed, 'no_store', 'No supported trust store was found on this system.', {
			hint: 'Configure single programs: eval "$(tinbox tls env)", or import the output of "tinbox tls ca"',
		});
	}

	return store;
}

/** Runs commands after a confirmation. Throws `Exit` if the user is not root, declines, or a command fails. */
async function runCommands(lines: readonly CommandLine[], {yes}: TrustFlags, {io}: Context): Promise<void> {
	const isRoot = process.getuid?.() === 0;
	const listed = lines.map(line => `  ${[...(isRoot ? [] : ['sudo']), ...line].map(shellQuote).join(' ')}`);
	if (!isRoot) {
		throw new Exit(exitCodes.denied, 'not_root', 'Only root can change the trust store of the system.', {
			hint: `Run this yourself:\n${listed.join('\n')}`,
		});
	}

	io.stderr.write(`This changes the trust store of the system:\n${listed.join('\n')}\n`);
	if (!yes && !(await confirmsChange(io))) {
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

async function confirmsChange({stdin, stderr}: Io): Promise<boolean> {
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

type TlsReport = Pick<DaemonBody['tls'], 'mode' | 'smtps' | 'https_url'> & {
	/** Offers STARTTLS unless the mode is `off`. */
	readonly smtp: HostPort;
	/** Subject of the CA certificate. */
	readonly subject: string;
	/** SHA-256 fingerprint in the format of browsers and OpenSSL. */
	readonly fingerprint: string;
	/** ISO 8601. */
	readonly expires_at: string;
	/** Name constraints of the CA: domains with subdomains, and IP ranges. */
	readonly names: readonly string[];
};

const fields = fieldsOf<TlsReport>()('mode smtp smtps https_url subject fingerprint expires_at names');

function addShow(tls: Command, context: Context): void {
	tls
		.command('show')
		.description('show the TLS ports and the certificate authority (CA)')
		.addOption(jsonOption(fields))
		.action(async ({json}: JsonFlag) => {
			const {io} = context;
			const body = await describe(context);
			const {smtp, smtps, names} = body;
			const shown = {smtp: hostPort(smtp), smtps: smtps && hostPort(smtps), names: names.join(' ')};
			printJsonOr(io, body, json, () => printProperties(io, {...body, ...shown}));
		});
}

async function describe(context: Context): Promise<TlsReport> {
	const {
		smtp: {host, port},
		tls: {mode, smtps, https_url},
	} = await (await context.api()).daemon.get();
	const authority = new X509Certificate(await authorityOf(context));
	const {constraintsOf} = await import('../../tls/names.js');
	const {subject, fingerprint256, validTo} = authority;
	return {
		mode,
		smtp: {host, port},
		smtps,
		https_url,
		subject: subject.split('\n').join(', '),
		fingerprint: fingerprint256,
		expires_at: new Date(validTo).toISOString(),
		names: constraintsOf(authority) ?? [],
	};
}

function addCa(tls: Command, context: Context): void {
	addExamples(tls.command('ca').description('print the CA certificate in PEM format'), 'tinbox tls ca > ca.pem').action(
		async () => {
			context.io.stdout.write(await authorityOf(context));
		},
	);
}

function addEnv(tls: Command, context: Context): void {
	const command = addHelpNote(
		tls.command('env').description('print variables that make programs trust the CA, for eval'),
		'The variables name files with the CA of the daemon and all authorities that are already trusted: by the system, or through earlier values of these variables. Node.js, Python, Go, Java, Rust, PHP, Ruby, curl, OpenSSL and the AWS SDKs read them at start.',
	);
	addExamples(command, 'eval "$(tinbox tls env)"')
		.addOption(jsonOption(trustVariables))
		.action(async ({json}: JsonFlag) => {
			const {io, env, paths} = context;
			const variables = await trustEnv(await authorityOf(context), env, paths);
			printJsonOr(io, variables, json, () => printExports(io, variables));
		});
}
