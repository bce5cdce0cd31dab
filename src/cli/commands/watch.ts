import type {Command} from 'commander';
import {readState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {usageError} from '../exit.js';

/** As many characters of an API key as lists show. */
const keyPrefixLength = 16;

export function fillWatch(command: Command, context: Context, run = runWatch): void {
	command
		.addHelpText('after', '\nPress ? for all keys. Everything that a key does has a command as well.')
		.action(async () => run(context));
}

export async function runWatch(context: Context): Promise<void> {
	const {io, env, api} = context;
	if (!(io.stdin.isTTY && io.stdout.isTTY) || env['TERM'] === 'dumb') {
		throw usageError('watch needs a terminal, to read keys from and to draw on.', 'For programs: tinbox messages tail');
	}

	const client = await api();
	const {startWatch} = await import('../../tui/start.js');
	await startWatch(client, async () => aboutDaemon(context));
}

/** What the status line tells of the daemon, which may have been started again since, and with which key. */
async function aboutDaemon({access, remoteUrl, daemon, paths}: Context) {
	const {url, apiKey} = await access();
	const key = apiKey?.slice(0, keyPrefixLength);
	if (remoteUrl() !== undefined) {
		return {url, smtp: undefined, key};
	}

	const {url: ownUrl, smtp} = readState(paths.stateFile) ?? (await daemon());
	return {url: ownUrl, smtp: `${smtp.host}:${smtp.port}`, key};
}
