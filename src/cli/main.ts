import {createContext} from './create-context.js';
import {run} from './run.js';

/** Runs the command line of this process; its exit code follows when the event loop is empty. */
export async function main(process: NodeJS.Process): Promise<void> {
	process.exitCode = await run(process.argv.slice(2), createContext(process));
}
