/** Confirmation in a response that has no other content. */
export type DoneBody = {
	/** Sentence for people. */
	readonly message: string;
};

/** Body of every error: `application/problem+json` (RFC 9457). */
export type ProblemBody = {
	/** Reason phrase of the status. */
	readonly title: string;
	/** HTTP status. */
	readonly status: number;
	/** Sentence for people: what is wrong and what to do. */
	readonly detail: string;
	/** Stable error code in snake_case, for programs. */
	readonly code: string;
	/** Invalid fields of a 400. */
	readonly errors?: ReadonlyArray<{readonly field: string; readonly message: string}>;
};
