import {addressFields, describeSession} from '../../contract/descriptions.js';
import type {AttachmentBody, MailboxBody, MessageBody} from '../../contract/messages.js';
import {phrase, sanitizeLine} from '../../lib/text/sanitize.js';
import {formatSize} from '../../lib/text/units.js';
import type {Piece} from '../pieces.js';
import {escapeHtml, linkHtml} from './html-page.js';

/** What is said of a message whatever view of it is shown. `path` is that of its page. */
export function previewHead(title: string, body: MessageBody, path: string): readonly Piece[] {
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

/** Nothing of a field that says nothing. */
function field(name: string, html: readonly Piece[]): readonly Piece[] {
	return html.length === 0 ? [] : [() => `<dt>${name}</dt><dd>`, ...html, () => '</dd>'];
}

function list(items: ReadonlyArray<() => string>): readonly Piece[] {
	return items.length === 0 ? [] : [() => '<ul>', ...items.map(item => () => `<li>${item()}</li>`), () => '</ul>'];
}

/** Each name and address apart from its neighbours, whatever direction it is written in. */
function mailboxesHtml(mailboxes: readonly MailboxBody[]): string {
	const html = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;
	const shown = mailboxes.map(({name, address}) => {
		const safe = sanitizeLine(address);
		return name === null ? html(safe) : `${html(phrase(name))} ${html(`<${safe}>`)}`;
	});
	return shown.join(', ');
}

/** A time in ISO 8601 and UTC, for people. */
function timeHtml(time: string): string {
	return time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');
}

function codeHtml(code: string, id: string): string {
	return `<code id="${id}">${escapeHtml(code)}</code> ${copyButton(id)}`;
}

/** The first few, and the others when asked for. */
function linkList(links: MessageBody['links']): readonly Piece[] {
	const items = links.map(({url, text}, index) => () => {
		const id = `link-${index}`;
		return `${linkHtml(url, id)} ${copyButton(id)} <small>${escapeHtml(sanitizeLine(text))}</small>`;
	});
	const [first, others] = [list(items.slice(0, 3)), list(items.slice(3))];
	return others.length === 0
		? first
		: [...first, () => `<details><summary>${links.length - 3} more</summary>`, ...others, () => '</details>'];
}

/** For a button that does nothing where there is no script, and is not shown there. */
function copyButton(id: string): string {
	return `<button type="button" value="${id}" aria-describedby="${id}" aria-live="polite" hidden>Copy</button>`;
}

function attachmentHtml({id, filename, content_type: type, size}: AttachmentBody, path: string): string {
	return (
		`<a href="${path}/attachments/${encodeURIComponent(id)}">${escapeHtml(sanitizeLine(filename) || `attachment ${id}`)}</a> ` +
		`<small>${escapeHtml(type)}, ${formatSize(size)}</small>`
	);
}
