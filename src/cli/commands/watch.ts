import type {Command} from 'commander';
import {keyPrefixLength} from '../../contract/constants.js';
import {hostPort} from '../../lib/io/hosts.js';
import {readState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {addHomeFlag} from '../control/kept-home.js';
import {addHelpNote} from '../help/layout.js';
import {usageError} from '../output/exit.js';

export function fillWatch(command: Command, context: Context): void {
	addHelpNote(command, 'Press ? for a list of keys. Most keys have an equivalent command.');
	addHomeFlag(command, context).action(async () => watch(context));
}

async function watch(context: Context): Promise<void> {
	const {io, env, api} = context;
	if (!(io.stdin.isTTY && io.stdout.isTTY) || env['TERM'] === 'dumb') {
		throw usageError('"tinbox watch" needs a terminal.', 'For programs: tinbox messages tail');
	}

	const client = await api();
	// Read by chalk when it is loaded: with colours or without, what is selected is in reverse.
	process.env['FORCE_COLOR'] = '1';
	const {runScreens} = await import('../../ui/tui/run.js');
	delete process.env['FORCE_COLOR'];
	await runScreens(client, async () => aboutDaemon(context), process, env);
}

/** What the status line shows of the daemon, which may have been restarted meanwhile, and of the key. */
async function aboutDaemon({access, remoteUrl, daemon, paths}: Context) {
	const {url, apiKey} = await access();
	const key = apiKey?.slice(0, keyPrefixLength);
	if (remoteUrl() !== undefined) {
		return {url, smtp: undefined, key};
	}

	const {url: ownUrl, smtp} = readState(paths.stateFile) ?? (await daemon());
	return {url: ownUrl, smtp: hostPort(smtp), key};
}
