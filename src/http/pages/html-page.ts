import {createHash} from 'node:crypto';
import type {Context} from 'koa';
import type {Chunk} from '../server/responses.js';

const style = `
:root {color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif}
body {max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 3rem}
h1 {margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere}
dl {display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; margin: 0}
h2 {margin: 1.75rem 0 .5rem; font-size: 1rem}
dt, small, legend {opacity: .75}
dd {margin: 0; overflow-wrap: anywhere}
ul {margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere}
li a[id] {display: inline-block; overflow: hidden; max-width: min(45rem, 100%); text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom}
h1, pre, small {unicode-bidi: plaintext}
button {padding: 0 .5rem; font: inherit; font-size: .8rem}
nav {display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1.5rem 0 1rem; border-bottom: 1px solid #8886}
nav a {padding: .35rem 0}
nav a[aria-current] {margin-bottom: -1px; border-bottom: 3px solid; color: inherit; font-weight: bold; text-decoration: none}
nav a[download] {margin-left: auto}
fieldset {display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .75rem; padding: 0; border: 0}
legend {float: left; padding: 0}
pre, iframe {box-sizing: border-box; border: 1px solid #8886; border-radius: 8px}
pre {margin: 0; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere}
iframe {display: block; width: 100%; height: 70vh; background: #fff; resize: vertical}
iframe[src$='remote=1'] {min-height: 70vh}
iframe[inert] {position: absolute; top: 0; height: 0; border-block: 0; visibility: hidden}
.mail {position: relative; overflow-x: auto}
main:has(#phone:checked) iframe {width: 375px}
main:has(#tablet:checked) iframe {width: 768px}
.notice {margin: 0 0 .75rem; padding-left: .75rem; border-left: 3px solid #d80}
`;

/**
 * Script of a page. Copies values without `navigator.clipboard`, which requires HTTPS or loopback. Fits the height of the frame
 * with the mail: a sandboxed frame does not reveal its height, so a hidden second frame, which cannot run or load anything
 * either, is measured.
 */
const script = `
for (const button of document.querySelectorAll('button')) {
	button.hidden = false;
	button.onclick = () => {
		getSelection().selectAllChildren(document.getElementById(button.value));
		button.textContent = document.execCommand('copy') ? 'Copied' : 'Copy failed';
	};
}
const shown = document.querySelector('iframe');
if (shown) {
	const measured = shown.cloneNode();
	measured.sandbox = 'allow-same-origin';
	measured.scrolling = 'no';
	measured.inert = true;
	measured.src = shown.src.split('?')[0] + '?measured=1';
	const fit = () => {
		const content = measured.contentDocument?.scrollingElement;
		if (content && content.scrollHeight > 0) {
			const scrollbar = content.scrollWidth > content.clientWidth ? 20 : 0;
			shown.style.height = Math.min(content.scrollHeight + scrollbar + 2, 30000) + 'px';
		}
	};
	measured.onload = fit;
	new ResizeObserver(fit).observe(measured);
	shown.after(measured);
}
`;

/** Source of an inline style or script in a Content Security Policy. */
export function inlineSource(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Content Security Policy that allows only these sources, and forbids forms, base URLs and framing. */
export function policyOf(...sources: readonly string[]): string {
	const forbidden = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
	return ["default-src 'none'", ...sources, ...forbidden].join('; ');
}

/** Policy of pages of tinbox: only the inline style and script, and the frame with the HTML of a mail. */
const pagePolicy = policyOf(
	`style-src ${inlineSource(style)}`,
	`script-src ${inlineSource(script)}`,
	"frame-src 'self'",
);

/** HTML page. The content is HTML in chunks; the title is plain text. */
export function htmlPage(title: string, content: readonly Chunk[]): readonly Chunk[] {
	const head = [
		'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
		`<title>${escapeHtml(title)}</title><style>${style}</style>`,
	].join('\n');
	return [() => head, ...content, () => `<script>${script}</script>`];
}

/** Escapes text for HTML, also in attributes. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/** Link that opens in a new tab and sends no referrer. */
export function linkHtml(url: string, id?: string): string {
	const name = id === undefined ? '' : ` id="${id}"`;
	return `<a${name} href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${escapeHtml(url)}</a>`;
}

/** Sets the headers of an HTML response. */
export function describePage(ctx: Context, policy = pagePolicy): void {
	ctx.set('Content-Security-Policy', policy);
	ctx.set('Referrer-Policy', 'no-referrer');
	// The opened page must not access this one.
	ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
	ctx.set('X-DNS-Prefetch-Control', 'off');
	ctx.type = 'text/html; charset=utf-8';
}

/** True if the client prefers HTML to JSON, as browsers do. */
export function prefersPage(ctx: Context): boolean {
	ctx.vary('Accept');
	return ctx.accepts('application/json', 'text/html') === 'text/html';
}

/** Sends a short page; `content` is HTML. */
export function answerPage(ctx: Context, status: number, title: string, content: string): void {
	const pieces = htmlPage(title, [() => content]);
	describePage(ctx);
	ctx.status = status;
	ctx.body = pieces.map(piece => piece()).join('\n');
}
