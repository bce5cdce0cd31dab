import type {Command} from 'commander';
import {keyPrefixLength} from '../../contract/constants.js';
import {hostPort} from '../../lib/io/hosts.js';
import {readState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {addHomeFlag} from '../control/home-flag.js';
import {findInbox, findMessage} from '../find.js';
import {addExamples, addHelpNote} from '../options.js';
import {usageError} from '../output/exit.js';
import {addBrowserFlag, type BrowserFlag, showPage} from '../show-page.js';
import {messageArgument} from './messages/read.js';

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
	// Chalk reads this when it is loaded. Selections need reverse video even without colors.
	process.env['FORCE_COLOR'] = '1';
	const {runScreens} = await import('../../ui/tui/run.js');
	delete process.env['FORCE_COLOR'];
	await runScreens(client, async () => aboutDaemon(context), process, env);
}

/** Daemon and key for the status line. The daemon may have been restarted since the last call. */
async function aboutDaemon({access, remoteUrl, daemon, paths}: Context) {
	const {url, apiKey} = await access();
	const key = apiKey?.slice(0, keyPrefixLength);
	if (remoteUrl() !== undefined) {
		return {url, smtp: undefined, key};
	}

	const {url: ownUrl, smtp} = readState(paths.stateFile) ?? (await daemon());
	return {url: ownUrl, smtp: hostPort(smtp), key};
}

export function fillOpen(command: Command, context: Context): void {
	addBrowserFlag(command, 'valid once, for one minute')
		.argument('[inbox]', 'id, address or name')
		.argument('[message]', messageArgument)
		.action(async (inbox: string | undefined, message: string | undefined, flag: BrowserFlag) => {
			const {webSessions} = await context.api();
			const {url} = await webSessions.createLink(await pageOf(context, inbox, message));
			await showPage(context, url, flag);
		});
	addExamples(command, 'tinbox open', 'tinbox open signup latest');
}

/** Initial view of the page. */
async function pageOf(context: Context, inbox: string | undefined, message: string | undefined) {
	if (inbox === undefined) {
		return {};
	}

	if (message === undefined) {
		return {inbox_id: (await findInbox(await context.api(), inbox)).id};
	}

	const {inboxId, id} = await findMessage(context, inbox, message);
	return {inbox_id: inboxId, message_id: id};
}
