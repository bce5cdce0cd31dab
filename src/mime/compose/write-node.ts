import * as base64 from 'nodemailer/lib/base64';
import type MimeNode from 'nodemailer/lib/mime-node';
import * as quotedPrintable from 'nodemailer/lib/qp';

/** Serializes a mail in memory. For small mails this is much faster than the streams of nodemailer. */
export function writeNode(root: MimeNode): Buffer {
	const pieces = [...piecesOf(root)].filter(({length}) => length > 0);
	return Buffer.concat([...pieces, missingLineEnd(pieces.at(-1)?.at(-1))]);
}

function* piecesOf(node: MimeNode): Iterable<Buffer> {
	yield Buffer.from(`${node.buildHeaders()}\r\n\r\n`);
	yield contentOf(node);
	if (!node.multipart) {
		return;
	}

	for (const [index, child] of node.childNodes.entries()) {
		yield Buffer.from(`${index === 0 ? '' : '\r\n'}--${node.boundary}\r\n`);
		yield* piecesOf(child);
	}

	yield Buffer.from(`\r\n--${node.boundary}--\r\n`);
}

function contentOf(node: MimeNode): Buffer {
	const content = Buffer.from((node.content ?? '') as string | Buffer);
	switch (node.getTransferEncoding()) {
		case 'base64':
			return Buffer.from(base64.wrap(base64.encode(content)), 'latin1');
		case 'quoted-printable':
			return withMailLineEnds(quotedPrintable.wrap(quotedPrintable.encode(content)));
		default:
			return withMailLineEnds(content.toString('latin1'));
	}
}

function withMailLineEnds(text: string): Buffer {
	return Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}

/** Rest of the final CRLF after the last byte of a mail. */
function missingLineEnd(last: number | undefined): Buffer {
	return Buffer.from(last === 0x0a ? '' : last === 0x0d ? '\n' : '\r\n');
}
