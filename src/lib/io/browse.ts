import {spawn} from 'node:child_process';
import {readUrl} from '../text/url.js';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
	darwin: ['open'],
	win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** After this time the opener counts as successful, even if it is still running. */
const patienceMs = 2000;

/** `foreign`: the address was rejected. `failed`: no browser could be started. */
export type Browsed = 'opened' | 'foreign' | 'failed';

/**
 * Opens a page in the browser. The address is untrusted, and openers also accept files, programs and flags. So it must be a
 * web address at the host of `own`.
 */
export async function openBrowser(url: string, own = url): Promise<Browsed> {
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

/** Accepts any scheme, because a proxy may change it. Rejects a login, which could only mislead the user. */
function webAddress(url: string): URL | undefined {
	const parsed = readUrl(url);
	const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
	return isWeb && parsed.username === '' && parsed.password === '' ? parsed : undefined;
}
