import {stat} from 'node:fs/promises';
import path from 'node:path';
import type {Command} from 'commander';
import {readSettingsFile} from '../../config/settings-file.js';
import {resolvePaths} from '../../runtime/paths.js';
import type {Context} from '../context.js';
import {folderOption} from '../options.js';
import {notFound} from '../output/exit.js';
import {note} from '../output/print.js';

/** Adds `--home`, which makes a command read mail kept by `tinbox run`, without a daemon. */
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

/** Serves the mail in the folder to this command. */
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
	// The only credentials in the file. Their key is the original data folder, which may have been moved.
	const [kept] = Object.values(readSettingsFile(paths.settingsFile).credentials ?? {});
	Object.assign(env, {TINBOX_URL: url, TINBOX_API_KEY: kept?.apiKey});
}
