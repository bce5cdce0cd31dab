import {addressFields, describeSession} from '../../contract/descriptions.js';
import type {AttachmentBody, MailboxBody, MessageBody} from '../../contract/messages.js';
import {addressesIn, hasRemoteImages} from '../../lib/text/links.js';
import {phrase, sanitizeLine, showControls} from '../../lib/text/sanitize.js';
import {formatSize} from '../../lib/text/units.js';
import type {ReadMessage} from '../../services/messages/contents.js';
import {messageBody} from '../api/messages.js';
import {type Chunk, textChunks} from '../server/responses.js';
import {escapeHtml, htmlPage, linkHtml} from './html-page.js';

/** Views of a message. */
const views = {html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source'} as const;

type View = keyof typeof views;

/** Maximum size of a source that is shown; the download is complete. */
const maxShownSource = 512 * 1024;

type PreviewOptions = {
	/** Path of the page. */
	readonly path: string;
	/** Requested view. Default: the HTML, or the text if there is none. */
	readonly view: unknown;
	/** True to load remote images. */
	readonly remote: boolean;
	/** Reads the source up to and including the byte `end`. */
	readonly readSource: (end: number) => Promise<Buffer>;
};

/** HTML page of a message. */
export async function previewPage(read: ReadMessage, options: PreviewOptions): Promise<readonly Chunk[]> {
	const {message, content} = read;
	const there = (Object.keys(views) as View[]).filter(name => name !== 'html' || content.html !== '');
	const view = there.find(name => name === options.view) ?? there[0] ?? 'text';
	const title = sanitizeLine(message.summary.subject) || '(no subject)';
	return htmlPage(title, [
		...previewHead(title, messageBody(read), options.path),
		() => navigation(there, view, options.path),
		() => `<main aria-label="${views[view]}">`,
		...(await viewContent(read, view, options)),
		() => '</main>',
	]);
}

function navigation(there: readonly View[], current: View, path: string): string {
	const links = there.map(
		view => `<a href="${path}?view=${view}"${view === current ? ' aria-current="page"' : ''}>${views[view]}</a>`,
	);
	return `<nav aria-label="Views">${links.join(' ')} <a href="${path}/raw" download>Download .eml</a></nav>`;
}

async function viewContent(
	{message, content}: ReadMessage,
	view: View,
	{path, remote, readSource}: PreviewOptions,
): Promise<readonly Chunk[]> {
	switch (view) {
		case 'html':
			return [() => frame(path, remote, content.html)];
		case 'text':
			return content.text === '' ? [() => '<p>This mail has no text.</p>'] : pre(content.text, linkedHtml);
		case 'headers':
			return pre(content.headers.map(({name, value}) => `${name}: ${value}`).join('\n'), shownHtml);
		case 'source': {
			const cut = `<p class="notice">Only the first ${formatSize(maxShownSource)} are shown. Download the .eml file for the rest.</p>`;
			const source = await readSource(maxShownSource - 1);
			return [() => (message.size > maxShownSource ? cut : ''), ...pre(source.toString(), shownHtml)];
		}
	}
}

function pre(text: string, encode: (slice: string) => string): readonly Chunk[] {
	// HTML ignores a line break after `<pre>`.
	return [() => '<pre>\n', ...textChunks(text, encode), () => '</pre>'];
}

function shownHtml(text: string): string {
	return escapeHtml(showControls(text));
}

/** Text with clickable URLs. */
function linkedHtml(text: string): string {
	const html: string[] = [];
	let end = 0;
	for (const {url, index} of addressesIn(text)) {
		html.push(escapeHtml(text.slice(end, index)), linkHtml(url));
		end = index + url.length;
	}

	return html.join('') + escapeHtml(text.slice(end));
}

function frame(path: string, remote: boolean, html: string): string {
	const images = remote
		? `Remote images are loaded. <a href="${path}?view=html">Block remote images</a>`
		: `Remote images are blocked. <a href="${path}?view=html&amp;remote=1">Load remote images</a> (this contacts the sender’s server).`;
	const width = (id: string, name: string, checked = '') =>
		`<label><input type="radio" name="width" id="${id}"${checked}> ${name}</label>`;
	return [
		remote || hasRemoteImages(html) ? `<p class="notice">${images}</p>` : '',
		'<fieldset><legend>Width</legend>',
		`${width('phone', 'Phone')} ${width('tablet', 'Tablet')} ${width('desktop', 'Desktop', ' checked')}</fieldset>`,
		'<div class="mail"><iframe title="HTML of the mail" sandbox="allow-popups allow-popups-to-escape-sandbox" ' +
			`src="${path}/html${remote ? '?remote=1' : ''}"></iframe></div>`,
	].join('\n');
}

/** Uses of the HTML of a mail: shown without or with remote images, or measured in a hidden frame. */
export type HtmlPurpose = 'shown' | 'shown with images' | 'measured';

/**
 * Content Security Policy of the HTML of a mail: no scripts, no forms, no navigation except links that open in a new tab, and
 * no remote content except requested images. The measured frame has the origin of its page, which reads its height, and no
 * links.
 */
export function htmlPolicy(use: HtmlPurpose): string {
	return [
		use === 'measured' ? 'sandbox allow-same-origin' : 'sandbox allow-popups allow-popups-to-escape-sandbox',
		"default-src 'none'",
		`img-src data:${use === 'shown with images' ? ' http: https:' : ''}`,
		"style-src 'unsafe-inline'",
		"form-action 'none'",
		"frame-ancestors 'self'",
	].join('; ');
}

/** Header fields of a message, shown above each view; `path` is the path of the page. */
function previewHead(title: string, body: MessageBody, path: string): readonly Chunk[] {
	const {date, session, recipients} = body;
	const fields = [...addressFields(body), ['Reply-To', recipients.reply_to] as const].map(([name, mailboxes]) =>
		field(name, mailboxes.length === 0 ? [] : [() => mailboxesHtml(mailboxes)]),
	);
	return [
		() => `<header><h1>${escapeHtml(title)}</h1><dl>`,
		...fields.flat(),
		...field('Date', date === null ? [] : [() => timeHtml(date)]),
		...field('Received', [() => timeHtml(body.received_at)]),
		...field('Session', session === null ? [] : [() => escapeHtml(sanitizeLine(describeSession(session)))]),
		...field('Size', [() => formatSize(body.size)]),
		...field('Codes', list(body.codes.map((code, index) => () => codeHtml(code, `code-${index}`)))),
		...field('Links', linkList(body.links)),
		...field('Attachments', list(body.attachments.map(attachment => () => attachmentHtml(attachment, path)))),
		() => '</dl>',
		...body.warnings.map(warning => () => `<p class="notice">${escapeHtml(warning)}</p>`),
		() => '</header>',
	];
}

function field(name: string, html: readonly Chunk[]): readonly Chunk[] {
	return html.length === 0 ? [] : [() => `<dt>${name}</dt><dd>`, ...html, () => '</dd>'];
}

function list(items: ReadonlyArray<() => string>): readonly Chunk[] {
	return items.length === 0 ? [] : [() => '<ul>', ...items.map(item => () => `<li>${item()}</li>`), () => '</ul>'];
}

/** Mailboxes, each isolated from the text direction of its neighbours. */
function mailboxesHtml(mailboxes: readonly MailboxBody[]): string {
	const html = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;
	const shown = mailboxes.map(({name, address}) => {
		const safe = sanitizeLine(address);
		return name === null ? html(safe) : `${html(phrase(name))} ${html(`<${safe}>`)}`;
	});
	return shown.join(', ');
}

function timeHtml(time: string): string {
	return time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');
}

function codeHtml(code: string, id: string): string {
	return `<code id="${id}">${escapeHtml(code)}</code> ${copyButton(id)}`;
}

/** Links; the first three are shown, the others on request. */
function linkList(links: MessageBody['links']): readonly Chunk[] {
	const items = links.map(({url, text}, index) => () => {
		const id = `link-${index}`;
		return `${linkHtml(url, id)} ${copyButton(id)} <small>${escapeHtml(sanitizeLine(text))}</small>`;
	});
	const [first, others] = [list(items.slice(0, 3)), list(items.slice(3))];
	return others.length === 0
		? first
		: [...first, () => `<details><summary>${links.length - 3} more</summary>`, ...others, () => '</details>'];
}

/** Copy button, which the script unhides. */
function copyButton(id: string): string {
	return `<button type="button" value="${id}" aria-describedby="${id}" aria-live="polite" hidden>Copy</button>`;
}

function attachmentHtml({id, filename, content_type: type, size}: AttachmentBody, path: string): string {
	return (
		`<a href="${path}/attachments/${encodeURIComponent(id)}">${escapeHtml(sanitizeLine(filename) || `attachment ${id}`)}</a> ` +
		`<small>${escapeHtml(type)}, ${formatSize(size)}</small>`
	);
}
