/** `GET /v1/health`, the one answer that needs no credentials. */
export type HealthBody = {readonly status: 'ok'; readonly version: string};

/** What a delete answers where it has a body. */
export type DoneBody = {readonly message: string};

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

/** The fields of an answer, as `--json` offers them: all of them, or the compiler complains. */
export type FieldsOf<Body> = Readonly<Record<keyof Body & string, true>>;
