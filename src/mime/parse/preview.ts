import type {Readable} from 'node:stream';
import {htmlOf} from './content.js';
import {parseMail} from './mail-parser.js';

/** Maximum length of all inline images of a document, in characters: about the size of a mail. */
const maxImageLength = 32 * 1024 * 1024;

/** Inline image, with its data URL, which is created when the image is first used. */
type Image = {readonly type: string; readonly pieces: Buffer[]; address?: string};

/**
 * Returns the HTML of a mail as a document for a sandboxed frame. Inline images become data URLs as long as the limit
 * allows: the document cannot load anything.
 */
export async function previewDocument(source: Readable): Promise<Uint8Array> {
	const images = new Map<string, Image>();
	const {root} = await parseMail(source, ({cid, contentType}) => {
		const image: Image = {type: contentType, pieces: []};
		if (cid === undefined || !contentType.startsWith('image/')) {
			return () => {};
		}

		images.set(cid, image);
		return piece => image.pieces.push(piece);
	});
	const html = withImages(withoutConnections(htmlOf(root)), images);
	const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
	return Buffer.from(`${doctype}<base target="_blank">${html.slice(doctype.length)}`);
}

/**
 * Disables elements for which browsers resolve or connect to hosts before they check the content security policy: this
 * would tell the sender that the mail was opened.
 */
function withoutConnections(html: string): string {
	return html
		.replace(/<link(?=[\s/>])/gi, '<meta')
		.replace(/<(\/?)(?=i?frame|object|embed|portal|fencedframe)/gi, '<$1x-');
}

function withImages(html: string, images: ReadonlyMap<string, Image>): string {
	let remaining = maxImageLength;
	return html.replace(/(["'(=]\s*)cid:([^"'\s)>]+)/gi, (reference, before: string, id: string) => {
		const image = images.get(decodeContentId(id));
		const address = image && addressOf(image);
		if (address === undefined || address.length > remaining) {
			return reference;
		}

		remaining -= address.length;
		return before + address;
	});
}

function addressOf(image: Image): string {
	image.address ??= `data:${mediaType(image.type)};base64,${Buffer.concat(image.pieces).toString('base64')}`;
	return image.address;
}

/** Decodes a content id, which is percent-encoded in URLs (RFC 2392). */
function decodeContentId(id: string): string {
	try {
		return decodeURIComponent(id);
	} catch {
		return id;
	}
}

function mediaType(type: string): string {
	return /^image\/[\w.+-]+$/.test(type) ? type : 'image/png';
}
