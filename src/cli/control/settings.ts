import path from 'node:path';
import {
	type DaemonFlags,
	type DaemonSettings,
	daemonSettings,
	defaultSettings,
	flagOf,
	resolveSettings,
	settingNames,
	settingsToKeep,
	usageOf,
	variableOf,
} from '../../config/settings.js';
import {readSettingsFile} from '../../config/settings-file.js';
import {ensureDirectory, guardFolder, nodeFiles} from '../../lib/io/files.js';
import type {Paths} from '../../runtime/paths.js';
import type {DaemonState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';

/** The settings of a new daemon; what is set nowhere is as in the defaults. */
export function chosenSettings(
	{env: {TINBOX_API_KEY: _, ...env}, paths}: Pick<Context, 'env' | 'paths'>,
	flags: DaemonFlags,
	defaults = defaultSettings(paths.dataDir),
): DaemonSettings {
	return settingsIn(env, paths, flags, defaults);
}

/** The same for `daemon run`, where TINBOX_API_KEY is a key to be given, and not one to a daemon that is there. */
export function settingsIn(
	env: NodeJS.ProcessEnv,
	paths: Pick<Paths, 'settingsFile' | 'dataDir'>,
	flags: DaemonFlags,
	defaults = defaultSettings(paths.dataDir),
): DaemonSettings {
	return resolveSettings({flags, env, file: readSettingsFile(paths.settingsFile), defaults});
}

/** Closes the settings, and the folders where a daemon tells of itself, to all other users, and says so. */
export async function closeToOthers({io, env, paths}: Pick<Context, 'io' | 'env' | 'paths'>): Promise<void> {
	const mended = (sentence: string) => note(io, sentence);
	readSettingsFile(paths.settingsFile, mended);
	const home = env['TINBOX_HOME'];
	for (const folder of [...(home ? [path.resolve(home)] : []), path.dirname(paths.stateFile)]) {
		await ensureDirectory(nodeFiles, folder);
		await guardFolder(folder, mended);
	}
}

/** Throws when a flag differs from the settings of the running daemon. */
export function assertSameSettings(running: DaemonState, flags: DaemonFlags): void {
	const had = settingsOf(running);
	const wanted = settingsToKeep(resolveSettings({flags, env: {}, file: {}, defaults: had}));
	const others = settingNames.filter(name => {
		const isAnyPort = name.endsWith('Port') && flags[name] === '0';
		return wanted[variableOf(name)] !== settingsToKeep(had)[variableOf(name)] && !isAnyPort;
	});
	if (others.length > 0) {
		const shown = (name: keyof DaemonFlags) => {
			const {kind, placeholder} = daemonSettings[name];
			return kind.isSecret || placeholder === null ? usageOf(name) : `${flagOf(name)} ${flags[name]}`;
		};
		const asked = others.map(shown).join(' ');
		const message = `A daemon is already running (process ${running.pid}) without ${asked}.`;
		throw new Exit(exitCodes.failed, 'already_running', message, {
			hint: `Restart it with these settings: tinbox daemon restart ${asked}`,
		});
	}
}

/** The settings of a running daemon, with the ports that it got. */
export function settingsOf({settings, smtp, smtps, url, https_url, data_dir}: DaemonState): DaemonSettings {
	return {
		...resolveSettings({flags: {}, env: settings, file: {}, defaults: defaultSettings(data_dir)}),
		smtpPort: smtp.port,
		...(smtps && {smtpsPort: smtps.port}),
		httpPort: portIn(url, 80),
		httpsPort: https_url ? portIn(https_url, 443) : null,
	};
}

/** A URL leaves out the usual one. */
function portIn(url: string, usual: number): number {
	return Number(new URL(url).port || usual);
}
