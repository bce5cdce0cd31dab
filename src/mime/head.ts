/** As much of a mail as is looked at for its header section. */
const longestHead = 256 * 1024;

/** The header section at the beginning of a mail, up to its empty line (RFC 5322, section 2.2) or 256 KiB. */
export function headOf(mail: Buffer): Buffer {
	const head = mail.subarray(0, longestHead);
	if (/^\r?\n/.test(head.toString('latin1', 0, 2))) {
		return head.subarray(0, 0);
	}

	const crlf = head.indexOf('\n\r\n');
	const upToCrlf = crlf < 0 ? head : head.subarray(0, crlf);
	const lf = upToCrlf.indexOf('\n\n');
	return lf < 0 ? upToCrlf : upToCrlf.subarray(0, lf);
}

/** Copies header sections one behind the other, to be given away to a thread at once. */
export function joinHeads(heads: readonly Buffer[]): {bytes: Uint8Array<ArrayBuffer>; ends: readonly number[]} {
	const bytes = new Uint8Array(heads.reduce((sum, {length}) => sum + length, 0));
	let end = 0;
	const ends = heads.map(head => {
		bytes.set(head, end);
		end += head.length;
		return end;
	});
	return {bytes, ends};
}

/** Keeps the beginning of a mail that goes by. */
export class HeadKeeper {
	bytes = Buffer.alloc(0);

	keep(piece: Uint8Array): void {
		const missing = longestHead - this.bytes.length;
		if (missing > 0) {
			this.bytes = Buffer.concat([this.bytes, piece.subarray(0, missing)]);
		}
	}
}
