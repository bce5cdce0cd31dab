import {maxInput} from '../../lib/max-input.js';
import {readUrl} from '../../lib/read-url.js';
import {sanitizeText} from '../../lib/sanitize.js';
import {maxUrl, trimUrl, webAddresses} from '../../lib/web-addresses.js';
import type {Anchor, Html} from './html.js';
import {actionWords, edgeWords, leaveWords, offerWords, pointingWords, signInWords, siteNames} from './words/links.js';
import {alternatives, beginningsOf} from './words/phrases.js';

export type Link = {
	/** Absolute, http or https, as the mail has it; what a terminal obeys or nobody sees is percent-encoded. */
	readonly url: string;
	/** The anchor's text or its image's; in plain text the words that introduce the address. */
	readonly text: string;
};

/** Links of one mail that are looked at. */
const maxLinks = 1000;

const points = {
	button: 11,
	alone: 2,
	again: 2,
	action: 5,
	offer: 3,
	signIn: 1,
	edge: -8,
	logo: -3,
	actionPath: 3,
	edgePath: -3,
	token: 2,
	home: -4,
	footer: -8,
	silent: -4,
};

const action = beginningsOf(actionWords);
const offer = beginningsOf(offerWords);
const signIn = beginningsOf(signInWords);
const leave = beginningsOf(leaveWords);
const edge = beginningsOf(edgeWords);
const pointing = new RegExp(`^(?:${alternatives(pointingWords)})$`, 'iu');
const siteName = new RegExp(`^(?:${alternatives(siteNames)})$`, 'i');

/** Paths and queries of links for the step that the mail asks for. */
const actionPath =
	/verif|confirm|activat|reset|password|magic|invit|accept|token=|\bauth\b|callback|unlock|validate|recover|otp|join/i;

/** What a browser encodes as well, or does not need: an address is printed, copied and pasted into shells. */
const unsafe = /[ \p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Hosts, paths and queries of links at the edge of a mail. */
const edgePath =
	/unsub|opt-?out|preferences|settings|privacy|terms|legal|imprint|impressum|help|support|contact|faq|about|\bblog\b|\bdocs\b|browser|list-manage|what-is|block|app-?store/i;

/** Sites that footers link to, and pages of those who build there. */
const footerSite =
	/^(?:[\w-]+\.)*(?:(?:facebook|twitter|x|instagram|linkedin|youtube|tiktok|pinterest|discord|reddit|apps\.apple|play\.google)\.com|(?:threads|bsky|t|mastodon)\.(?:net|app|me|social)|(?:github|gitlab)\.com\/[^/]+\/?$)/i;

/**
 * The links of a mail, each once, the one that the mail wants clicked first: buttons before others; verify, reset,
 * sign in, accept before view and track before help, unsubscribe, other sites and the home page; equals in the order of
 * the mail, HTML first. Images and style sheets are none. Only the first 512 KiB of each body count.
 */
export function extractLinks({text, html: {anchors, lines}}: {text: string; html: Html}): readonly Link[] {
	const links = new Map<string, Candidate>();
	for (const anchor of [...anchors, ...anchorsIn(lines.join('\n'))]) {
		add(links, anchor);
	}

	if (links.size === 0) {
		for (const anchor of anchorsIn(text)) {
			add(links, anchor);
		}
	}

	return [...links.values()]
		.map(link => ({link, score: linkScore(link)}))
		.sort((one, other) => other.score - one.score)
		.map(({link: {url, text}}) => ({url, text}));
}

/** A link with all that is known of the places where it stands. */
type Candidate = Anchor & {
	/** Whether it comes again after a place where it has a text, as in "or copy this address". */
	readonly isAgain: boolean;
};

function anchorsIn(text: string): readonly Anchor[] {
	return findTextLinks(text).map(link => ({...link, around: '', isButton: false, isAlone: false, isLogo: false}));
}

/** Keeps the more telling text of a link that comes again. */
function add(links: Map<string, Candidate>, {url: href, text, around, isButton, isAlone, isLogo}: Anchor): void {
	const url = openableUrl(href);
	if (url === undefined || isAsset(url) || (links.size >= maxLinks && !links.has(url))) {
		return;
	}

	const known = links.get(url);
	const says = text.includes('://') ? '' : sanitizeText(text.slice(0, 200));
	links.set(url, {
		url,
		text: known?.text || says,
		around: known?.around || around.slice(0, 200),
		isButton: isButton || known?.isButton === true,
		isAlone: (isAlone && says !== '') || known?.isAlone === true,
		isLogo: isLogo || known?.isLogo === true,
		isAgain: known !== undefined && known.text !== '',
	});
}

function isAsset(url: string): boolean {
	return /^[^?#]*\.(?:png|jpe?g|gif|webp|svg|ico|css|js|woff2?)(?:[?#]|$)/i.test(url);
}

/** The address as one can open it, or undefined when it is not an absolute http or https one. */
function openableUrl(href: string): string | undefined {
	if (href.length > maxUrl) {
		return undefined;
	}

	const url = href
		.replace(/[\t\r\n]/g, '')
		.trim()
		.replace(unsafe, encodeURIComponent);
	return /^https?:\/\//i.test(url) && readUrl(url) ? url : undefined;
}

/** How likely the mail wants this link clicked. A score only puts links in order. */
function linkScore({url, text, around, isButton, isAlone, isLogo, isAgain}: Candidate): number {
	const {host, hostname, pathname, search, hash} = new URL(url);
	const rest = pathname + search + hash;
	const says = pointing.test(text) ? around : text;
	const isLeaving = leave.test(says);
	const isEdge = isLeaving || comesFirst(edge, isButton ? [action, signIn, offer] : [action, signIn], says);
	return (
		(isButton && !isLeaving ? points.button : 0) +
		(isAlone ? points.alone : 0) +
		(isLogo ? points.logo : 0) +
		(isAgain ? points.again : 0) +
		(text === '' ? points.silent : 0) +
		(isEdge ? points.edge : wordPoints(says)) +
		(actionPath.test(rest) ? points.actionPath : 0) +
		(edgePath.test(host + rest) && (isEdge || !isButton) ? points.edgePath : 0) +
		(hasToken(rest) ? points.token : 0) +
		(pathname === '/' && !hasToken(rest) ? points.home : 0) +
		(siteName.test(text) || (footerSite.test(hostname + pathname) && !actionPath.test(rest)) ? points.footer : 0)
	);
}

/** For what the words ask; of signing in and what may be done then, what they say first. */
function wordPoints(says: string): number {
	if (action.test(says)) {
		return points.action;
	}

	if (comesFirst(signIn, [offer], says)) {
		return points.signIn;
	}

	return offer.test(says) ? points.offer : 0;
}

/** Whether there is such a word, and before it none of the others. */
function comesFirst(word: RegExp, others: readonly RegExp[], says: string): boolean {
	const at = says.search(word);
	return at >= 0 && !others.some(other => other.test(says.slice(0, at)));
}

/** Whether a part of the address looks made for this one mail. */
function hasToken(rest: string): boolean {
	return rest.split(/[/?&=#]/).some(part => /^(?=.*\d)(?:[\w.~%-]{10,}|(?=.*[a-z])(?=.*[A-Z])\w{8,})$/.test(part));
}

/** An address in plain text with the words that introduce it: those before it on its line, else the line above. */
type TextLink = {readonly url: string; readonly text: string};

/**
 * Finds http addresses in the first 512 KiB of a plain text: bare, in angle brackets (also wrapped, RFC 3986,
 * appendix C) and in Markdown.
 */
function findTextLinks(text: string): readonly TextLink[] {
	const links: TextLink[] = [];
	const unwrapped = unwrap(text.slice(0, maxInput));
	let end = 0;
	for (const {0: match, index} of unwrapped.matchAll(webAddresses)) {
		const lines = unwrapped.slice(end, index).split(/\r\n|\r|\n/);
		// What follows on a link in its line says nothing of links on other lines.
		const before = end > 0 && lines.length > 1 ? lines.slice(1) : lines;
		const introduction = before.findLast(line => wordsOf(line) !== '') ?? '';
		links.push({url: trimUrl(match.slice(0, maxUrl + 1)), text: wordsOf(introduction)});
		end = index + match.length;
	}

	return links;
}

/** Undoes the wrapping of long addresses in angle brackets. */
function unwrap(text: string): string {
	return text.replace(/<(https?:\/\/[^<>"]{1,8192})>/gi, (_, url: string) => `<${url.replace(/\s+/g, '')}>`);
}

/** The words at the end of a line. */
function wordsOf(line: string): string {
	return line
		.slice(-200)
		.replace(/\s+/g, ' ')
		.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}?!]+$/gu, '')
		.trim();
}
