import {maxScannedLength, maxUrl, trimUrl, webAddresses} from '../../lib/text/links.js';
import {sanitizeText} from '../../lib/text/sanitize.js';
import {readUrl} from '../../lib/text/url.js';
import linkWords from './data/link-words.json' with {type: 'json'};
import type {Anchor, Html} from './html.js';
import {isUnspaced, splitPhrases} from './vocabulary.js';

/** Link of a mail. */
export type Link = {
	/** Absolute http or https address as the mail has it; control and invisible characters are percent-encoded. */
	readonly url: string;
	/** Text of the anchor or its image; in plain text the words before the address. */
	readonly text: string;
};

/** Maximum number of links per mail. */
const maxLinks = 1000;

/** One row of `data/link-words.json`: the words of links in one language, as beginnings of words. */
type LinkWords = {
	/** The step that a mail asks for: "verify", "reset", "accept". */
	readonly action?: string | readonly string[];
	/** Signing in, which many mails offer beside the step that they ask for. */
	readonly signIn?: string | readonly string[];
	/** Optional actions in mail that asks for nothing: "view", "track". */
	readonly offer?: string | readonly string[];
	/** Complete texts that say nothing about the target ("click here"): the words around the link count. */
	readonly pointing?: string | readonly string[];
	/** Unsubscribing. */
	readonly leave?: string | readonly string[];
	/** Links in footers: settings, help, legal notices. */
	readonly edge?: string | readonly string[];
	/** Complete texts of links in footers: names of sites and stores. */
	readonly siteName?: string | readonly string[];
};

const points = {
	button: 11,
	alone: 2,
	repeated: 2,
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

const action = startOfWord(phrasesOf('action'));
const offer = startOfWord(phrasesOf('offer'));
const signIn = startOfWord(phrasesOf('signIn'));
const leave = startOfWord(phrasesOf('leave'));
const edge = startOfWord(phrasesOf('edge'));
const pointing = new RegExp(`^(?:${alternatives(phrasesOf('pointing'))})$`, 'iu');
const siteName = new RegExp(`^(?:${alternatives(phrasesOf('siteName'))})$`, 'i');

/** Paths and queries of links for the step that the mail asks for. */
const actionPath =
	/verif|confirm|activat|reset|password|magic|invit|accept|token=|\bauth\b|callback|unlock|validate|recover|otp|join/i;

/** Characters to percent-encode, because addresses are printed and pasted into shells. Browsers encode or ignore them, too. */
const unsafe = /[ \p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Hosts, paths and queries of links in footers. */
const edgePath =
	/unsub|opt-?out|preferences|settings|privacy|terms|legal|imprint|impressum|help|support|contact|faq|about|\bblog\b|\bdocs\b|browser|list-manage|what-is|block|app-?store/i;

/** Social networks, app stores, and profile pages of code hosts. */
const footerSite =
	/^(?:[\w-]+\.)*(?:(?:facebook|twitter|x|instagram|linkedin|youtube|tiktok|pinterest|discord|reddit|apps\.apple|play\.google)\.com|(?:threads|bsky|t|mastodon)\.(?:net|app|me|social)|(?:github|gitlab)\.com\/[^/]+\/?$)/i;

/**
 * Returns the distinct links of a mail, the main one first. Buttons rank before other links; "verify", "reset", "sign in"
 * and "accept" before "view" and "track"; these before help, unsubscribe, other sites and the home page. Ties keep the
 * order of the mail, HTML first. Images and style sheets are left out. Reads the first 512 KiB of each body.
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

/** A link with the properties of all its occurrences. */
type Candidate = Anchor & {
	/** True if the link follows again after an occurrence with a text, as in "or copy this address: …". */
	readonly isRepeated: boolean;
};

function anchorsIn(text: string): readonly Anchor[] {
	return findTextLinks(text).map(link => ({...link, around: '', isButton: false, isAlone: false, isLogo: false}));
}

/** Adds a link, or merges it into an earlier occurrence. The first text wins. */
function add(links: Map<string, Candidate>, {url: href, text, around, isButton, isAlone, isLogo}: Anchor): void {
	const url = openableUrl(href);
	if (url === undefined || isAsset(url) || (links.size >= maxLinks && !links.has(url))) {
		return;
	}

	const earlier = links.get(url);
	const caption = text.includes('://') ? '' : sanitizeText(text.slice(0, 200));
	links.set(url, {
		url,
		text: earlier?.text || caption,
		around: earlier?.around || around.slice(0, 200),
		isButton: isButton || earlier?.isButton === true,
		isAlone: (isAlone && caption !== '') || earlier?.isAlone === true,
		isLogo: isLogo || earlier?.isLogo === true,
		isRepeated: earlier !== undefined && earlier.text !== '',
	});
}

function isAsset(url: string): boolean {
	return /^[^?#]*\.(?:png|jpe?g|gif|webp|svg|ico|css|js|woff2?)(?:[?#]|$)/i.test(url);
}

/** Returns an address that can be opened; undefined unless it is an absolute http or https address. */
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

/** Returns how likely the mail wants this link clicked. Scores are only compared within one mail. */
function linkScore({url, text, around, isButton, isAlone, isLogo, isRepeated}: Candidate): number {
	const {host, hostname, pathname, search, hash} = new URL(url);
	const rest = pathname + search + hash;
	const words = pointing.test(text) ? around : text;
	const isLeaving = leave.test(words);
	const isEdge = isLeaving || matchesFirst(edge, isButton ? [action, signIn, offer] : [action, signIn], words);
	return (
		(isButton && !isLeaving ? points.button : 0) +
		(isAlone ? points.alone : 0) +
		(isLogo ? points.logo : 0) +
		(isRepeated ? points.repeated : 0) +
		(text === '' ? points.silent : 0) +
		(isEdge ? points.edge : wordPoints(words)) +
		(actionPath.test(rest) ? points.actionPath : 0) +
		(edgePath.test(host + rest) && (isEdge || !isButton) ? points.edgePath : 0) +
		(hasToken(rest) ? points.token : 0) +
		(pathname === '/' && !hasToken(rest) ? points.home : 0) +
		(siteName.test(text) || (footerSite.test(hostname + pathname) && !actionPath.test(rest)) ? points.footer : 0)
	);
}

/** Returns the points for the words of a link. "Sign in to view …" is signing in; "View after you sign in" is an offer. */
function wordPoints(words: string): number {
	if (action.test(words)) {
		return points.action;
	}

	if (matchesFirst(signIn, [offer], words)) {
		return points.signIn;
	}

	return offer.test(words) ? points.offer : 0;
}

/** True if `pattern` matches and none of the others matches before it. */
function matchesFirst(pattern: RegExp, others: readonly RegExp[], words: string): boolean {
	const at = words.search(pattern);
	return at >= 0 && !others.some(other => other.test(words.slice(0, at)));
}

/** Returns the phrases of a column in all languages. */
function phrasesOf(column: keyof LinkWords): readonly string[] {
	return Object.values<LinkWords>(linkWords).flatMap(row => splitPhrases(row[column] ?? []));
}

/** Returns the phrases as alternatives of a regular expression, longest first. A space also matches a hyphen or nothing. */
function alternatives(phrases: readonly string[]): string {
	return [...phrases]
		.sort((one, other) => other.length - one.length)
		.map(phrase => phrase.replace(/[.?($]/g, '\\$&').replaceAll(' ', '[ -]?'))
		.join('|');
}

/** Returns an expression that matches where a word begins with one of the phrases. */
function startOfWord(phrases: readonly string[]): RegExp {
	const [unspaced, spaced] = [true, false].map(kind => phrases.filter(phrase => isUnspaced(phrase) === kind));
	return new RegExp(
		[`(?<!\\p{L})(?:${alternatives(spaced ?? [])})`, ...(unspaced?.length ? [alternatives(unspaced)] : [])].join('|'),
		'iu',
	);
}

/** True if a part of the address looks unique to this mail. */
function hasToken(rest: string): boolean {
	return rest.split(/[/?&=#]/).some(part => /^(?=.*\d)(?:[\w.~%-]{10,}|(?=.*[a-z])(?=.*[A-Z])\w{8,})$/.test(part));
}

/** Address in plain text. `text` is the text before it on its line, otherwise the line above. */
type TextLink = {readonly url: string; readonly text: string};

/**
 * Finds http addresses in the first 512 KiB of a plain text: bare, in Markdown, and in angle brackets, in which they may be
 * wrapped (RFC 3986, appendix C).
 */
function findTextLinks(text: string): readonly TextLink[] {
	const links: TextLink[] = [];
	const unwrapped = unwrap(text.slice(0, maxScannedLength));
	let end = 0;
	for (const {0: match, index} of unwrapped.matchAll(webAddresses)) {
		const lines = unwrapped.slice(end, index).split(/\r\n|\r|\n/);
		// Text after a link on its line does not describe links on later lines.
		const before = end > 0 && lines.length > 1 ? lines.slice(1) : lines;
		const introduction = before.findLast(line => wordsOf(line) !== '') ?? '';
		links.push({url: trimUrl(match.slice(0, maxUrl + 1)), text: wordsOf(introduction)});
		end = index + match.length;
	}

	return links;
}

/** Joins wrapped addresses in angle brackets. */
function unwrap(text: string): string {
	return text.replace(/<(https?:\/\/[^<>"]{1,8192})>/gi, (_, url: string) => `<${url.replace(/\s+/g, '')}>`);
}

/** Returns the last 200 characters of a line without punctuation around them. */
function wordsOf(line: string): string {
	return line
		.slice(-200)
		.replace(/\s+/g, ' ')
		.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}?!]+$/gu, '')
		.trim();
}
