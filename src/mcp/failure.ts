import {ApiError, TooLongError, UnreachableError} from '../client/errors.js';
import {AppError} from '../domain/errors.js';
import {sanitizeLine} from '../lib/sanitize.js';

/** What an agent is told of a failure: what is wrong, and what to do. Of a bug it is told no more than that; `onBug` is told all. */
export function failureWords(error: unknown, onBug: (error: unknown) => void): string {
	if (error instanceof AppError) {
		return sanitizeLine(error.message);
	}

	if (error instanceof ApiError) {
		const what = error.status === 401 ? ' Whoever set up this server has to give it another key.' : '';
		return sanitizeLine(`${error.detail}${what}`);
	}

	if (error instanceof TooLongError) {
		return 'This is too long to be read here. The user can save it: tinbox messages save';
	}

	if (error instanceof UnreachableError) {
		return sanitizeLine(`${error.message} Have the user start it: tinbox daemon start`);
	}

	onBug(error);
	return 'Something went wrong in tinbox itself. Its log says what.';
}
