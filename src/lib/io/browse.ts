import {spawn} from 'node:child_process';
import {readUrl} from '../text/url.js';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
	darwin: ['open'],
	win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** By then a program that opens pages has failed, or does its work. */
const patienceMs = 2000;

/** `foreign`: it was left alone. `failed`: no browser could be started. */
export type Browsed = 'opened' | 'foreign' | 'failed';

/**
 * Shows a page in the browser. The address comes from outside, and what opens it takes files, programs and flags as well:
 * it must be a web address; one of the daemon at `own` unless a person chose another.
 */
export async function browse(url: string, own = url): Promise<Browsed> {
	const page = webAddress(url);
	if (page === undefined || page.host !== webAddress(own)?.host) {
		return 'foreign';
	}

	const chosen = process.env['BROWSER'];
	const [command, ...args] = chosen ? [chosen] : (openers[process.platform] ?? ['xdg-open']);
	const child = spawn(command, [...args, page.href], {stdio: 'ignore', detached: true});
	return new Promise(resolve => {
		const timer = setTimeout(() => end('opened'), patienceMs);
		const end = (browsed: Browsed) => {
			clearTimeout(timer);
			child.unref();
			resolve(browsed);
		};
		child.once('error', () => end('failed'));
		child.once('exit', code => end(code === 0 ? 'opened' : 'failed'));
	});
}

/** Behind a proxy, the scheme may be another one than the daemon knows. A login in the address would only deceive. */
function webAddress(url: string): URL | undefined {
	const parsed = readUrl(url);
	const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
	return isWeb && parsed.username === '' && parsed.password === '' ? parsed : undefined;
}
