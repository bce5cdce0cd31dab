import {stat} from 'node:fs/promises';
import path from 'node:path';
import type {Command} from 'commander';
import {readSettingsFile} from '../../config/settings-file.js';
import {resolvePaths} from '../../runtime/paths.js';
import type {Context} from '../context.js';
import {folderOption} from '../options.js';
import {notFound} from '../output/exit.js';
import {note} from '../output/print.js';

/** Gives a command that reads mail the flag that lets it read what was kept, without any daemon. */
export function addHomeFlag(command: Command, context: Context): Command {
	return command
		.addOption(folderOption('--home', 'read the mail kept by "tinbox run", without a daemon'))
		.hook('preAction', async () => {
			const {home} = command.opts<{readonly home?: string}>();
			if (home !== undefined) {
				await openKeptHome(path.resolve(home), context);
			}
		});
}

/** Leads the command to what is in the folder. */
async function openKeptHome(home: string, {io, env, atEnd}: Context): Promise<void> {
	const paths = resolvePaths({TINBOX_HOME: home});
	const ended = await stat(paths.logFile).catch(() => undefined);
	if (!ended) {
		throw notFound(`No kept mail in ${home}.`, 'Keep the mail of a run: tinbox run --keep <folder> <command>');
	}

	const [{closeToOthers}, {serveStopped}] = await Promise.all([
		import('./settings.js'),
		import('../../daemon/start.js'),
	]);
	await closeToOthers({io, env: {TINBOX_HOME: home}, paths});
	const tell = (_: object, message: string) => note(io, message);
	const {url, stop} = await serveStopped(paths.dataDir, ended.mtime, {info: () => {}, warn: tell, error: tell});
	atEnd.push(stop);
	// By data directory, which may have been another folder on another machine.
	const [kept] = Object.values(readSettingsFile(paths.settingsFile).credentials ?? {});
	Object.assign(env, {TINBOX_URL: url, TINBOX_API_KEY: kept?.apiKey});
}
