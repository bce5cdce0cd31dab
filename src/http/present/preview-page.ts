import {createHash} from 'node:crypto';
import {senderOf} from '../../domain/filter.js';
import {formatSize} from '../../lib/size.js';
import type {ReadMessage} from '../../services/messages.js';

const style = `
:root {color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif}
body {max-width: 60rem; margin: 2rem auto; padding: 0 1rem}
dl {display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem}
dt {opacity: .6}
dd {margin: 0; overflow-wrap: anywhere}
iframe {width: 100%; height: 70vh; border: 1px solid #8886; background: #fff}
pre {white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem; border: 1px solid #8886}
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
export function previewPage({message, content}: ReadMessage, {path, remote}: {path: string; remote: boolean}): string {
	const {html, text, attachments} = content;
	const subject = message.summary?.subject || '(no subject)';
	const head = [
		['From', senderOf(message)],
		['To', [message.to, ...(message.summary?.cc ?? [])].join(', ')],
		['Received', message.receivedAt],
		['Size', formatSize(message.size)],
	];
	return [
		'<!doctype html><html lang="en"><meta charset="utf-8">',
		`<title>${escapeHtml(subject)}</title><style>${style}</style>`,
		`<h1>${escapeHtml(subject)}</h1>`,
		`<dl>${head.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value ?? '')}</dd>`).join('')}</dl>`,
		html === '' ? '' : frame(path, remote),
		text === '' ? '' : `<h2>Text</h2><pre>${escapeHtml(text)}</pre>`,
		attachments.length === 0 ? '' : '<h2>Attachments</h2><ul>',
		...attachments.map(
			({id, filename, contentType, size}) =>
				`<li><a href="${path}/attachments/${encodeURIComponent(id)}">${escapeHtml(filename || `attachment ${id}`)}</a> ` +
				`${escapeHtml(contentType)}, ${formatSize(size)}</li>`,
		),
		attachments.length === 0 ? '' : '</ul>',
	].join('\n');
}

function frame(path: string, remote: boolean): string {
	const other = remote
		? `<a href="${path}">Show it without remote images</a>`
		: `<a href="${path}?remote=1">Load its remote images</a>, by which the sender learns that it was read`;
	return [
		`<h2>HTML</h2><p>${other}.</p>`,
		`<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="${path}/html${remote ? '?remote=1' : ''}"></iframe>`,
	].join('\n');
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
