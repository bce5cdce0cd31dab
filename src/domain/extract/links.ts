import {readHtml} from '../../lib/html.js';
import type {Pattern} from '../pattern.js';
import {scoreOf} from './link-score.js';
import {findTextLinks} from './text-links.js';
import {openableUrl} from './url.js';

export type Link = {
	/** Absolute, http or https, as the mail has it. */
	readonly url: string;
	/** The anchor's text or its image's; in plain text the words that introduce the address. */
	readonly text: string;
};

/** Links of one mail that are looked at. */
const mostLinks = 1000;

/**
 * The links of a mail, each once, the one that the mail wants clicked first: verify, reset, sign in, accept before
 * view and track before help, unsubscribe and the home page; equals in the order of the mail, HTML first. Images and
 * style sheets are none. Only the first 512 KiB of each body count.
 */
export function extractLinks({text, html}: {text: string; html: string}): readonly Link[] {
	const {anchors, lines} = readHtml(html);
	const links = new Map<string, Link>();
	for (const link of [...anchors, ...findTextLinks(lines.join('\n'))]) {
		add(links, link);
	}

	if (links.size === 0) {
		for (const link of findTextLinks(text)) {
			add(links, link);
		}
	}

	return [...links.values()]
		.map(link => ({link, score: scoreOf(link)}))
		.sort((one, other) => other.score - one.score)
		.map(({link}) => link);
}

/** The links whose address or text fits the pattern, in their order. */
export function linksLike(links: readonly Link[], pattern: Pattern): readonly Link[] {
	return links.filter(({url, text}) => pattern.test(url) || pattern.test(text));
}

/** Keeps the more telling text of a link that comes again. */
function add(links: Map<string, Link>, {url: href, text}: Link): void {
	const url = openableUrl(href);
	if (url === undefined || isAsset(url) || (links.size >= mostLinks && !links.has(url))) {
		return;
	}

	const known = links.get(url);
	const says = text.includes('://') ? '' : text.slice(0, 200);
	if (!known || known.text === '') {
		links.set(url, {url, text: says});
	}
}

function isAsset(url: string): boolean {
	return /^[^?#]*\.(?:png|jpe?g|gif|webp|svg|ico|css|js|woff2?)(?:[?#]|$)/i.test(url);
}
