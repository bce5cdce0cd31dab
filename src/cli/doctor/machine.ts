import {once} from 'node:events';
import {access, constants, stat, statfs} from 'node:fs/promises';
import {createServer} from 'node:net';
import path from 'node:path';
import {smtpsPortOf} from '../../config/settings.js';
import {formatSize} from '../../lib/text/units.js';
import {readState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {explainListenError} from '../control/listen-error.js';
import {chosenSettings} from '../control/settings.js';
import {Exit, exitCodes} from '../output/exit.js';
import type {DoctorCheck} from './check.js';

/** With less free space the daemon may soon have to refuse mail. */
const minFreeBytes = 256 * 1024 * 1024;

/** What a daemon needs on this machine, whether one runs or not. */
export function machineChecks(context: Pick<Context, 'env' | 'paths'>): readonly DoctorCheck[] {
	const {paths} = context;
	const state = readState(paths.stateFile);
	const dataDir = () => state?.data_dir ?? chosenSettings(context, {}).dataDir;
	return [
		{name: 'node', run: async () => `${process.version} on ${process.platform} ${process.arch}`},
		{name: 'settings', run: () => checkSettings(context)},
		{name: 'data folder', run: () => checkFolder(dataDir())},
		{name: 'state folder', run: () => checkFolder(path.dirname(paths.stateFile))},
		{name: 'disk', run: () => checkSpace(dataDir())},
		{
			name: 'ports',
			run: async () => (state ? 'in use by the daemon' : checkPorts(context)),
		},
	];
}

async function checkSettings(context: Pick<Context, 'env' | 'paths'>): Promise<string> {
	const file = context.paths.settingsFile;
	chosenSettings(context, {});
	const found = await stat(file).catch(() => undefined);
	if (found) {
		assertPrivate(file, found.mode);
	}

	return found ? file : 'no settings file';
}

async function checkFolder(folder: string): Promise<string> {
	const found = await stat(folder).catch(() => undefined);
	const existing = found ? folder : await nearest(folder);
	await access(existing, constants.W_OK).catch(() => {
		throw new Exit(exitCodes.failed, 'not_writable', `The folder ${existing} is not writable.`, {
			hint: 'Change its owner or mode, or set TINBOX_HOME to a folder that you can write to.',
		});
	});
	if (found) {
		assertPrivate(folder, found.mode);
	}

	return found ? folder : `${folder} (not created yet)`;
}

/** It holds mail and keys: only its owner may read it. */
function assertPrivate(file: string, mode: number): void {
	if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
		throw new Exit(exitCodes.failed, 'not_private', `Other users can access ${file}.`, {
			hint: `Remove their access: chmod go= ${file}`,
		});
	}
}

async function checkSpace(folder: string): Promise<string> {
	const {bavail, bsize} = await statfs(await nearest(folder));
	const free = `${formatSize(bavail * bsize)} free`;
	if (bavail * bsize < minFreeBytes) {
		throw new Exit(exitCodes.failed, 'disk_full', `Low disk space for ${folder}: ${free}.`, {
			hint: 'Delete mail or other files, or choose another folder with --data-dir or TINBOX_DATA_DIR.',
		});
	}

	return free;
}

async function checkPorts(context: Pick<Context, 'env' | 'paths'>): Promise<string> {
	const settings = chosenSettings(context, {});
	const {host, smtpPort, httpPort, httpsPort} = settings;
	const ports = [smtpPort, smtpsPortOf(settings), httpPort, httpsPort].filter(port => typeof port === 'number');
	for (const port of ports) {
		const server = createServer().listen(port, host);
		await once(server, 'listening').catch(async error => {
			throw await explainListenError(error, settings);
		});
		server.close();
	}

	return ports.includes(0) ? 'any free ports' : `${ports.slice(0, -1).join(', ')} and ${ports.at(-1)} are free`;
}

/** The folder, or the nearest one above it that exists. */
async function nearest(folder: string): Promise<string> {
	return stat(folder).then(
		() => folder,
		() => nearest(path.dirname(folder)),
	);
}
