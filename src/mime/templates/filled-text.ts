import {filledTooLong, maxFilledLength, TemplateProblem} from './template-form.js';

/** A text that is put together, and may not become too long. */
export class FilledText {
	readonly #pieces: string[] = [];
	#length = 0;

	/** Throws `TemplateProblem`. */
	add(piece: string): void {
		this.#length += piece.length;
		if (this.#length > maxFilledLength) {
			throw new TemplateProblem(filledTooLong);
		}

		this.#pieces.push(piece);
	}

	toString(): string {
		return this.#pieces.join('');
	}
}
