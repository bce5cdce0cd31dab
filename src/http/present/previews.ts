import {createHash} from 'node:crypto';
import type {MailboxBody} from '../../contract/messages.js';
import {addressFields} from '../../contract/recipients.js';
import type {Attachment} from '../../domain/message.js';
import {phrase} from '../../lib/mailboxes.js';
import {sanitizeLine} from '../../lib/sanitize.js';
import {formatSize} from '../../lib/units.js';
import type {ReadMessage} from '../../services/messages/messages.js';
import {type Piece, textPieces} from '../pieces.js';
import {messageBody} from './messages.js';

const style = `
:root {color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif}
body {max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem}
h1 {margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere}
h2 {margin: 1.75rem 0 .5rem; font-size: 1rem}
h2 small {margin-left: .5rem; font-weight: normal}
dl {display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0}
dt, small {color: GrayText}
dd {margin: 0; overflow-wrap: anywhere}
ul {margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere}
iframe, pre {box-sizing: border-box; width: 100%; margin: 0; border: 1px solid #8884; border-radius: 8px}
iframe {display: block; height: 70vh; background: #fff}
pre {padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere}
.warning {margin: 1rem 0 0; padding-left: .75rem; border-left: 3px solid #d80}
`;

/** Runs nothing, and loads nothing but the frame with the HTML of the mail. */
export const pagePolicy = [
	"default-src 'none'",
	`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
	"frame-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

/** A page about one message. `path` is its own; `remote` is whether the mail may load what it links to. */
export function previewPage(read: ReadMessage, {path, remote}: {path: string; remote: boolean}): readonly Piece[] {
	const {message, content} = read;
	const {html, text, attachments} = content;
	const body = messageBody(read);
	const subject = message.summary.subject || '(no subject)';
	const head = [
		...addressFields(body).map(([name, mailboxes]) => [name, mailboxesHtml(mailboxes)]),
		['Received', message.receivedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')],
		['Size', formatSize(message.size)],
	];
	const before = [
		'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
		`<title>${escapeHtml(subject)}</title><style>${style}</style>`,
		`<h1>${escapeHtml(subject)}</h1>`,
		`<dl>${head.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`,
		...body.warnings.map(warning => `<p class="warning">${escapeHtml(warning)}</p>`),
		attachments.length === 0 ? '' : attachmentList(attachments, path),
		html === '' ? '' : frame(path, remote),
		text === '' ? '' : '<h2>Text</h2><pre>',
	];
	return [() => before.join('\n'), ...textPieces(text, escapeHtml), () => (text === '' ? '' : '</pre>')];
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

function attachmentList(attachments: readonly Attachment[], path: string): string {
	const items = attachments.map(
		({id, filename, contentType, size}) =>
			`<li><a href="${path}/attachments/${encodeURIComponent(id)}">${escapeHtml(filename || `attachment ${id}`)}</a> ` +
			`<small>${escapeHtml(contentType)}, ${formatSize(size)}</small></li>`,
	);
	return `<h2>Attachments</h2><ul>${items.join('')}</ul>`;
}

function frame(path: string, remote: boolean): string {
	const images = remote
		? `with remote images. <a href="${path}">Show it without</a>`
		: `without remote images. <a href="${path}?remote=1">Load them</a>, by which the sender learns that it was read`;
	return [
		`<h2>HTML <small>${images}.</small></h2>`,
		`<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="${path}/html${remote ? '?remote=1' : ''}"></iframe>`,
	].join('\n');
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/**
 * For the HTML of a mail: no scripts, no forms, no way out of its frame but links that the reader clicks, and nothing
 * loaded from elsewhere; images if they are asked for.
 */
export function htmlPolicy(remote: boolean): string {
	return [
		'sandbox allow-popups allow-popups-to-escape-sandbox',
		"default-src 'none'",
		`img-src data:${remote ? ' http: https:' : ''}`,
		"style-src 'unsafe-inline'",
		"form-action 'none'",
		"frame-ancestors 'self'",
	].join('; ');
}
