/** Values of the variables of a template. */
export type TemplateData = Readonly<Record<string, unknown>>;

/** Part of a mail that a template renders. */
export type TemplatePart = 'subject' | 'text' | 'html';

/** Template engine of a provider. */
export type TemplateForm = {
	/** Parses a template. Throws `TemplateProblem` for invalid or unsupported syntax. */
	check(template: string): void;
	/** Renders a template. Throws `TemplateProblem`, also for data that does not match. */
	fill(template: string, data: TemplateData, part: TemplatePart): string;
};

/** Error in a template or its data. The message is a sentence. */
export class TemplateProblem extends Error {}

/** Maximum length of a rendered template. */
export const maxFilledLength = 8 * 1024 * 1024;

export const filledTooLong = `Its result has more than ${maxFilledLength} characters.`;

/** Number of pieces that are joined. An array of all pieces could exceed the memory of the thread, which ends the process. */
const joinedPieces = 1024;

/** String builder with a maximum length. */
export class FilledText {
	readonly #joined: string[] = [];
	#pieces: string[] = [];
	#length = 0;

	/** Throws `TemplateProblem`. */
	add(piece: string): void {
		if (piece === '') {
			return;
		}

		this.#length += piece.length;
		if (this.#length > maxFilledLength) {
			throw new TemplateProblem(filledTooLong);
		}

		this.#pieces.push(piece);
		if (this.#pieces.length === joinedPieces) {
			this.#joined.push(this.#pieces.join(''));
			this.#pieces = [];
		}
	}

	toString(): string {
		return [...this.#joined, ...this.#pieces].join('');
	}
}
