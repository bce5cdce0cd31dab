import type {Preview} from '../../services/previews.js';

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

/** The HTML of a mail, in which inline images are written out: a sandboxed document can load nothing, not even from here. */
export function previewHtml({content, images}: Preview): string {
	const html = withoutConnections(content.html).replace(
		/(["'(=]\s*)cid:([^"'\s)>]+)/gi,
		(reference, before: string, id: string) => {
			const image = images.get(decoded(id));
			return image ? `${before}data:${mediaType(image.type)};base64,${image.bytes.toString('base64')}` : reference;
		},
	);
	const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
	return `${doctype}<base target="_blank">${html.slice(doctype.length)}`;
}

/**
 * Takes their meaning from the elements whose hosts browsers look up or connect to before they ask the policy, which
 * is enough to tell a sender that the mail was opened. The policy refuses what they would load in any case.
 */
function withoutConnections(html: string): string {
	return html
		.replace(/<link(?=[\s/>])/gi, '<meta')
		.replace(/<(\/?)(?=i?frame|object|embed|portal|fencedframe)/gi, '<$1x-');
}

/** Content ids are percent-encoded in URLs (RFC 2392). */
function decoded(id: string): string {
	try {
		return decodeURIComponent(id);
	} catch {
		return id;
	}
}

function mediaType(type: string): string {
	return /^image\/[\w.+-]+$/.test(type) ? type : 'image/png';
}
