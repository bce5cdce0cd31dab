import type {Readable} from 'node:stream';
import {htmlOf} from './content.js';
import {parseMail} from './mail-parser.js';

/** Characters that all inline images of a document take at most: about as many as a mail has bytes. */
const maxImageLength = 32 * 1024 * 1024;

/** An image, and its address with all that it is, made when it is first shown. */
type Image = {readonly type: string; readonly pieces: Buffer[]; address?: string};

/**
 * The HTML of a mail as a document for a frame with a sandbox. Inline images are written out wherever they are shown, as
 * long as there is room: such a document can load nothing, not even from here.
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
 * Takes their meaning from the elements whose hosts browsers look up or connect to before they ask the policy, which
 * is enough to tell a sender that the mail was opened. The policy refuses what they would load in any case.
 */
function withoutConnections(html: string): string {
	return html
		.replace(/<link(?=[\s/>])/gi, '<meta')
		.replace(/<(\/?)(?=i?frame|object|embed|portal|fencedframe)/gi, '<$1x-');
}

function withImages(html: string, images: ReadonlyMap<string, Image>): string {
	let room = maxImageLength;
	return html.replace(/(["'(=]\s*)cid:([^"'\s)>]+)/gi, (reference, before: string, id: string) => {
		const image = images.get(decoded(id));
		const address = image && addressOf(image);
		if (address === undefined || address.length > room) {
			return reference;
		}

		room -= address.length;
		return before + address;
	});
}

function addressOf(image: Image): string {
	image.address ??= `data:${mediaType(image.type)};base64,${Buffer.concat(image.pieces).toString('base64')}`;
	return image.address;
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
