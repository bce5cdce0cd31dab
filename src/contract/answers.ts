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

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The names of an answer's fields, as `--json` offers them: the compiler takes a text only if it has all and no others. */
export function fieldsOf<Body>() {
	return <Text extends string>(
		names: Exclude<keyof Body, Words<Text>> | Exclude<Words<Text>, keyof Body> extends never ? Text : never,
	): readonly string[] => names.split(' ');
}
