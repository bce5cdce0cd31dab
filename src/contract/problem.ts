/** The body of every error: RFC 9457, `application/problem+json`. */
export type ProblemBody = {
	readonly title: string;
	readonly status: number;
	readonly detail: string;
	/** Stable, in snake_case; what programs compare. */
	readonly code: string;
	/** For a 400: each wrong field. */
	readonly errors?: ReadonlyArray<{readonly field: string; readonly message: string}>;
};

export const problemType = 'application/problem+json';
