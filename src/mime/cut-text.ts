/** A text without some of its pieces. Putting together what is left, a piece a line, would take more memory than there is. */
export class CutText {
	readonly #text: string;
	readonly #units: Uint16Array;
	#length = 0;
	/** The bits of all characters so far. */
	#bits = 0;
	/** Where what is not decided yet begins. */
	#rest = 0;

	constructor(text: string) {
		this.#text = text;
		this.#units = new Uint16Array(text.length);
	}

	/** Leaves a piece out, which begins behind the one before. */
	cut(from: number, to: number): void {
		const [text, units] = [this.#text, this.#units];
		let length = this.#length;
		let bits = this.#bits;
		for (let at = this.#rest; at < from; at++) {
			const unit = text.charCodeAt(at);
			bits |= unit;
			units[length++] = unit;
		}

		this.#length = length;
		this.#bits = bits;
		this.#rest = to;
	}

	/** What is left of the text. */
	end(): string {
		if (this.#rest === 0) {
			return this.#text;
		}

		this.cut(this.#text.length, this.#text.length);
		const left = this.#units.subarray(0, this.#length);
		return this.#bits < 256
			? Buffer.from(left).toString('latin1')
			: Buffer.from(left.buffer, 0, left.byteLength).toString('utf16le');
	}
}
