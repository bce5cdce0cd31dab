/** What a template is filled in with. */
export type TemplateData = Readonly<Record<string, unknown>>;

/** What of a mail a template makes. */
export type TemplatePart = 'subject' | 'text' | 'html';

/** The form of templates that a provider has. */
export type TemplateForm = {
	/** Throws `TemplateProblem` for what it cannot read, or cannot do. */
	check(template: string): void;
	/** Throws the same, also for data that does not fit. */
	fill(template: string, data: TemplateData, part: TemplatePart): string;
};

/** What is wrong with a template, or with its data, in a sentence. */
export class TemplateProblem extends Error {}

/** Characters that a template comes to at most. */
export const maxFilledLength = 8 * 1024 * 1024;

export const filledTooLong = `Its result has more than ${maxFilledLength} characters.`;

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
