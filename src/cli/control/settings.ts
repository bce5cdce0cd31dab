import path from 'node:path';
import {type Command, Option} from 'commander';
import {parseResponse} from '../../client/caller.js';
import {fetchResponse} from '../../client/exchange.js';
import {
	type DaemonFlags,
	type DaemonSettings,
	daemonSettings,
	defaultSettings,
	flagOf,
	resolveSettings,
	settingNames,
	settingsToKeep,
	smtpsPortOf,
	usageOf,
	variableOf,
} from '../../config/settings.js';
import {readSettingsFile} from '../../config/settings-file.js';
import type {HealthBody} from '../../contract/daemon.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../../lib/io/files.js';
import {bracketed, type HostPort, hostPort, reachableHost} from '../../lib/io/hosts.js';
import {portHolder} from '../../lib/io/sockets.js';
import type {Paths} from '../../runtime/paths.js';
import type {DaemonState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {addHelpNote} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';

/** Settings of a new daemon from flags, environment, settings file and defaults. */
export function chosenSettings(
	{env: {TINBOX_API_KEY: _, ...env}, paths}: Pick<Context, 'env' | 'paths'>,
	flags: DaemonFlags,
	defaults = defaultSettings(paths.dataDir),
): DaemonSettings {
	return settingsIn(env, paths, flags, defaults);
}

/** Settings for `daemon run`, where TINBOX_API_KEY is a setting, not the key for a running daemon. */
export function settingsIn(
	env: NodeJS.ProcessEnv,
	paths: Pick<Paths, 'settingsFile' | 'dataDir'>,
	flags: DaemonFlags,
	defaults = defaultSettings(paths.dataDir),
): DaemonSettings {
	return resolveSettings({flags, env, file: readSettingsFile(paths.settingsFile), defaults});
}

/** Removes the access of other users to the settings file and state folders, and prints a note if it changed anything. */
export async function closeToOthers({io, env, paths}: Pick<Context, 'io' | 'env' | 'paths'>): Promise<void> {
	const mended = (sentence: string) => note(io, sentence);
	readSettingsFile(paths.settingsFile, mended);
	const home = env['TINBOX_HOME'];
	for (const folder of [...(home ? [path.resolve(home)] : []), path.dirname(paths.stateFile)]) {
		await ensureDirectory(nodeFiles, folder);
		await guardFolder(folder, mended);
	}
}

/** Throws `Exit` if a flag differs from the settings of the running daemon. */
export function assertSameSettings(running: DaemonState, flags: DaemonFlags): void {
	const had = settingsOf(running);
	const wanted = settingsToKeep(resolveSettings({flags, env: {}, file: {}, defaults: had}));
	const others = settingNames.filter(name => {
		const isAnyPort = name.endsWith('Port') && flags[name] === '0';
		return wanted[variableOf(name)] !== settingsToKeep(had)[variableOf(name)] && !isAnyPort;
	});
	if (others.length > 0) {
		const shown = others.map(name => {
			const {kind, placeholder} = daemonSettings[name];
			return kind.isSecret || placeholder === null ? usageOf(name) : `${flagOf(name)} ${flags[name]}`;
		});
		const asked = shown.join(' ');
		const message = `A daemon is already running (process ${running.pid}) without ${asked}.`;
		const hint = `Restart it with these settings: tinbox daemon restart ${asked}`;
		throw new Exit(exitCodes.failed, 'already_running', message, {hint});
	}
}

/** Settings of a running daemon, with its actual ports. */
export function settingsOf({settings, smtp, smtps, url, https_url, data_dir}: DaemonState): DaemonSettings {
	return {
		...resolveSettings({flags: {}, env: settings, file: {}, defaults: defaultSettings(data_dir)}),
		smtpPort: smtp.port,
		...(smtps && {smtpsPort: smtps.port}),
		// URLs omit the default port.
		httpPort: Number(new URL(url).port || 80),
		httpsPort: https_url ? Number(new URL(https_url).port || 443) : null,
	};
}

/** Adds a flag for each setting of the daemon. */
export function addDaemonFlags(command: Command): Command {
	for (const name of settingNames) {
		const {description, kind} = daemonSettings[name];
		const option = new Option(usageOf(name), description).helpGroup('Settings:');
		const join = (text: string, before?: string) => (before === undefined ? text : `${before},${text}`);
		command.addOption(kind.isList ? option.argParser(join) : option);
	}

	return addHelpNote(
		command,
		`Each setting also has a variable: ${flagOf('smtpPort')} is ${variableOf('smtpPort')}. Flags override variables. Variables override the "daemon" object in the settings file.`,
	);
}

/** Settings among parsed options. Commander sets options such as `--no-fault-addresses` to true if the flag is absent. */
export function daemonFlags(found: Readonly<Record<string, unknown>>): DaemonFlags {
	return Object.fromEntries(
		settingNames.flatMap(name => {
			const option = new Option(flagOf(name));
			const value = found[option.attributeName()];
			const given = option.negate ? value === false || undefined : value;
			return given === undefined ? [] : [[name, String(given)]];
		}),
	);
}

const otherPorts = ['smtpPort', 'smtpsPort', 'httpsPort'] as const;

/** Replaces an error of listening on an address or port by an `Exit` with a hint. Returns all other errors unchanged. */
export async function explainListenError(
	error: unknown,
	settings: Pick<DaemonSettings, 'host' | 'tls' | (typeof otherPorts)[number] | 'httpPort'>,
): Promise<unknown> {
	if (!(error instanceof Error && 'syscall' in error && 'code' in error)) {
		return error;
	}

	const {host, smtpPort, httpPort, httpsPort} = settings;
	const {address = '', port = 0} = error as NodeJS.ErrnoException & {address?: string; port?: number};
	const ports = {smtpPort, smtpsPort: smtpsPortOf(settings), httpsPort};
	const name = otherPorts.find(name => ports[name] === port) ?? 'httpPort';
	const otherPort = `choose another port with ${flagOf(name)} or ${variableOf(name)}; 0 picks a free port`;
	switch (error.code) {
		case 'EADDRINUSE': {
			const holder = portHolder(port);
			const isTinbox = await answersAsTinbox({host: reachableHost(host), port: httpPort});
			const by = holder
				? ` by "${holder.command}" (process ${holder.pid})`
				: isTinbox
					? ' by another tinbox daemon'
					: '';
			return new Exit(exitCodes.failed, 'port_taken', `Port ${port} on ${bracketed(address)} is in use${by}.`, {
				hint: isTinbox
					? `That daemon belongs to another user or another TINBOX_HOME. Use free ports: tinbox daemon start ${flagOf('smtpPort')} 0 ${flagOf('httpPort')} 0`
					: `Stop that program, or ${otherPort}.`,
			});
		}
		case 'EACCES':
			return error.syscall === 'listen'
				? new Exit(exitCodes.failed, 'port_denied', `Permission denied: listening on port ${port}`, {
						hint: `Ports below 1024 are privileged: ${otherPort}.`,
					})
				: error;
		case 'EADDRNOTAVAIL':
			return noSuchAddress(`This machine does not have the address ${bracketed(address)}.`);
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return noSuchAddress(`Cannot resolve the host name "${host}".`);
		default:
			return error;
	}
}

function noSuchAddress(message: string): Exit {
	return new Exit(exitCodes.failed, 'no_such_address', message, {
		hint: `Choose another address with ${flagOf('host')} or ${variableOf('host')}; 127.0.0.1 always works.`,
	});
}

async function answersAsTinbox(place: HostPort): Promise<boolean> {
	const url = `http://${hostPort(place)}`;
	try {
		const {body} = await fetchResponse(url, {method: 'GET', path: '/health', deadlineMs: 1000, maxBytes: 1024}, {});
		const {status, version} = parseResponse<HealthBody>(url, body.toString());
		return ['ok', 'degraded'].includes(status) && typeof version === 'string';
	} catch {
		return false;
	}
}
