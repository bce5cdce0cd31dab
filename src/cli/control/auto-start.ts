import type {DaemonState} from '../../runtime/state-file.js';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../exit.js';
import {note} from '../output.js';
import {startDaemon} from './start.js';

/** Starts a daemon for a command that needs one, and says so; `TINBOX_NO_START` forbids it. */
export async function autoStart(context: Pick<Context, 'io' | 'env' | 'paths'>): Promise<DaemonState> {
	if (context.env['TINBOX_NO_START']) {
		throw new Exit(
			exitCodes.noDaemon,
			'no_daemon',
			'No tinbox daemon runs, and TINBOX_NO_START forbids starting one.',
			{
				hint: 'Start it: tinbox daemon start',
			},
		);
	}

	const {state, isNew} = await startDaemon(context, {}).catch(error => {
		throw error instanceof Exit && error.exitCode === exitCodes.failed
			? new Exit(exitCodes.noDaemon, error.code, error.message, error)
			: error;
	});
	if (isNew) {
		const {url, smtp} = state;
		note(
			context.io,
			`Started a tinbox daemon: SMTP ${smtp.host}:${smtp.port}, API ${url}. Stop it: tinbox daemon stop`,
		);
	}

	return state;
}
