import {spawnSync} from 'node:child_process';

/** Shows a text in `$PAGER`, else in `less`. Control characters must be gone: some pagers hand them to the terminal. */
export function page(text: string): void {
	const pager = process.env['PAGER'] || 'less';
	const {error, status} = spawnSync(pager, {input: text, stdio: ['pipe', 'inherit', 'inherit'], shell: true});
	// Whoever leaves the pager early makes an error, too, but with a status.
	if (status === 127 || (error && status === null)) {
		throw new Error(`The pager "${pager}" could not be started. Set PAGER to another one.`, {cause: error});
	}
}
