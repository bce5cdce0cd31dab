import {type SentMail, Unsent} from '../domain/mail/sending.js';
import {composeMail} from '../mime/compose/mail.js';
import type {Answer, SendRequest, SendRoute} from './provider.js';

/** A mail that is asked for and its source; one that is not sent, which nobody is to know; or the answer that stands in its place. */
export type Prepared =
	| {readonly mail: SentMail; readonly source: Buffer}
	| {readonly unsent: SentMail}
	| {readonly answer: Answer};

/** The same, or a mail that is to be filled in first. */
export type ReadRequest = Prepared | {readonly unfilled: SentMail};

/** Fills in the template of a mail; undefined where the provider takes it and never sends it. An answer stands in the place of a mail that is refused by itself. */
export type FillMail = (mail: SentMail) => Promise<SentMail | Answer | undefined>;

/** Bytes of all mails that one request asks for. */
const maxBytes = 256 * 1024 * 1024;

/** Reads a request, and composes the mails that it asks for and that have no template. Throws as the provider does. */
export async function beginMails(
	route: Pick<SendRoute, 'read'>,
	request: SendRequest,
): Promise<readonly ReadRequest[]> {
	const begun: ReadRequest[] = [];
	const read = await route.read(request);
	assertSum(read.reduce((sum, one) => sum + ('envelope' in one && !one.template ? contentBytes(one) : 0), 0));
	let size = 0;
	for (const one of read) {
		if (!('envelope' in one)) {
			begun.push({answer: one});
		} else if (one.template) {
			begun.push({unfilled: one});
		} else {
			const source = await sourceOf(one);
			size = checkedSum(size, source);
			begun.push({mail: one, source});
		}
	}

	return begun;
}

/** Fills in and composes the others. Throws as the provider does. */
export async function finishMails(begun: readonly ReadRequest[], fill: FillMail): Promise<readonly Prepared[]> {
	const prepared: Prepared[] = [];
	let size = 0;
	for (const one of begun) {
		if ('unfilled' in one) {
			const filled = await fill(one.unfilled);
			if (filled === undefined) {
				prepared.push({unsent: one.unfilled});
			} else if ('envelope' in filled) {
				const source = await sourceOf(filled);
				size = checkedSum(size, source);
				prepared.push({mail: filled, source});
			} else {
				prepared.push({answer: filled});
			}
		} else {
			prepared.push(one);
		}
	}

	return prepared;
}

async function sourceOf({content}: SentMail): Promise<Buffer> {
	return 'raw' in content ? withMailLineEnds(content.raw) : composeMail(content);
}

/** No source has fewer bytes than what it is made of. */
function contentBytes({content}: SentMail): number {
	if ('raw' in content) {
		return content.raw.length;
	}

	const {text = '', html = '', amp = '', attachments} = content;
	return attachments.reduce((sum, one) => sum + one.content.length, text.length + html.length + amp.length);
}

function checkedSum(size: number, {length}: Buffer): number {
	assertSum(size + length);
	return size + length;
}

function assertSum(size: number): void {
	if (size > maxBytes) {
		throw new Unsent({type: 'too_large', maxBytes});
	}
}

/** Providers take mail with bare line feeds, as programs compose it, and send it with the line ends of mail. */
function withMailLineEnds(raw: Buffer): Buffer {
	return Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}
