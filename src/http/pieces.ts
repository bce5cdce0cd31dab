/** A piece of a large answer, made when it is its time to be sent. */
export type Piece = () => string | Uint8Array;

/** Characters or bytes of a piece, about: so little that making one holds nobody up. */
const pieceLength = 32 * 1024;

/** The JSON of plain data. Long texts in it are encoded piece by piece. */
export function jsonPieces(data: unknown): readonly Piece[] {
	const pieces: Piece[] = [];
	let short = '';
	const flush = () => {
		const text = short;
		pieces.push(() => text);
		short = '';
	};
	const write = (text: string) => {
		short += text;
		if (short.length >= pieceLength) {
			flush();
		}
	};
	const walk = (value: unknown): void => {
		if (typeof value === 'string' && value.length > pieceLength) {
			short += '"';
			flush();
			pieces.push(...textPieces(value, slice => JSON.stringify(slice).slice(1, -1)));
			write('"');
		} else if (Array.isArray(value)) {
			for (const [index, item] of value.entries()) {
				write(index === 0 ? '[' : ',');
				walk(item);
			}

			write(value.length === 0 ? '[]' : ']');
		} else if (typeof value === 'object' && value !== null) {
			let before = '{';
			for (const [name, field] of Object.entries(value).filter(([, field]) => field !== undefined)) {
				write(`${before}${JSON.stringify(name)}:`);
				walk(field);
				before = ',';
			}

			write(before === '{' ? '{}' : '}');
		} else {
			write(JSON.stringify(value));
		}
	};
	walk(data);
	flush();
	return pieces;
}

/** A text, encoded slice by slice; no slice ends within a character, nor within a word unless it has no other end. */
export function textPieces(text: string, encode = (slice: string) => slice): readonly Piece[] {
	const pieces: Piece[] = [];
	for (let start = 0; start < text.length; ) {
		const from = start;
		const to = endOfSlice(text, from);
		pieces.push(() => encode(text.slice(from, to)));
		start = to;
	}

	return pieces;
}

/** Each is a copy: one that waits to be sent does not keep all the others in memory. */
export function bytePieces(bytes: Uint8Array): readonly Piece[] {
	return Array.from({length: Math.ceil(bytes.length / pieceLength)}, (_, index) => {
		return () => new Uint8Array(bytes.subarray(index * pieceLength, (index + 1) * pieceLength));
	});
}

function endOfSlice(text: string, from: number): number {
	const slice = text.slice(from, from + pieceLength);
	const end = slice.length < pieceLength ? slice.length : Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf(' ')) + 1;
	return end > 0 ? from + end : endOfCharacter(text, from + pieceLength);
}

/** The place, or the next one if it is between the halves of a surrogate pair. */
function endOfCharacter(text: string, place: number): number {
	return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place + 1 : place;
}
