import {actionPath, actionWords, edgePath, edgeWords, footerHost, offerWords} from './link-words.js';
import {beginningsOf} from './phrases.js';

const points = {action: 6, offer: 2, edge: -6, actionPath: 3, edgePath: -3, token: 2, home: -4, footer: -6, silent: -1};

const action = beginningsOf(actionWords);
const offer = beginningsOf(offerWords);
const edge = beginningsOf(edgeWords);

/** How likely the link is the one that the mail wants clicked: only an order, without a unit. */
export function scoreOf({url, text}: {url: string; text: string}): number {
	const {host, hostname, pathname, search, hash} = new URL(url);
	const rest = pathname + search + hash;
	return (
		(text === '' ? points.silent : 0) +
		(action.test(text) ? points.action : offer.test(text) ? points.offer : 0) +
		(edge.test(text) ? points.edge : 0) +
		(actionPath.test(rest) ? points.actionPath : 0) +
		(edgePath.test(host + rest) ? points.edgePath : 0) +
		(hasToken(rest) ? points.token : 0) +
		(pathname === '/' && !hasToken(rest) ? points.home : 0) +
		(footerHost.test(hostname) ? points.footer : 0)
	);
}

/** Whether something in the address looks made for this one mail. */
function hasToken(rest: string): boolean {
	return rest.split(/[/?&=#]/).some(part => part.length >= 10 && /\d/.test(part) && /^[\w.~%-]+$/.test(part));
}
