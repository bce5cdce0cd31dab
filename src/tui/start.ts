import type {About} from './state/state.js';
import type {WatchApi} from './watch-api.js';

/**
 * Loads the screens and runs them until the person quits. Both standard streams must be terminals. `about` is asked
 * again whenever the daemon was lost and found.
 */
export async function startWatch(api: WatchApi, about: () => Promise<About>): Promise<void> {
	const {env, stdin, stdout} = process;
	if (env['NO_COLOR']) {
		// The one that chalk reads, when it is loaded.
		env['FORCE_COLOR'] = '0';
	}

	const {run} = await import('./run.js');
	await run(api, about, {stdin, stdout});
}
