import type {ProblemBody} from '../contract/answers.js';

/** The daemon answered with an error. */
export class ApiError extends Error {
	override readonly name = 'ApiError';
	readonly status: number;
	/** Stable, in snake_case: what programs compare. */
	readonly code: string;
	/** A sentence for people; it may repeat text from outside. */
	readonly detail: string;
	/** For a 400: each wrong field. */
	readonly errors: NonNullable<ProblemBody['errors']>;

	constructor({status, code, detail, errors = []}: Omit<ProblemBody, 'title'>) {
		super(detail);
		this.status = status;
		this.code = code;
		this.detail = detail;
		this.errors = errors;
	}
}

/** Nothing answered at the address, or not in time, or it was not tinbox. */
export class UnreachableError extends Error {
	override readonly name = 'UnreachableError';
	readonly url: string;

	constructor(url: string, reason: string, options?: ErrorOptions) {
		super(`${url} ${reason}`, options);
		this.url = url;
	}
}
