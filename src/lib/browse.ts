import {spawn} from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
	darwin: ['open'],
	win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows an address in the browser; false when none could be started. */
export async function browse(url: string): Promise<boolean> {
	const own = process.env['BROWSER'];
	const [command, ...args] = own ? [own] : (openers[process.platform] ?? ['xdg-open']);
	const child = spawn(command, [...args, url], {stdio: 'ignore', detached: true});
	return new Promise(resolve => {
		child.once('error', () => resolve(false));
		child.once('spawn', () => {
			child.unref();
			resolve(true);
		});
	});
}
