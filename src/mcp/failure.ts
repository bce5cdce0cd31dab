import {ApiError, TooLongError, UnreachableError} from '../client/errors.js';
import {AppError} from '../domain/errors.js';
import {sanitizeLine} from '../lib/text/sanitize.js';

/** What an agent is told of a failure: what is wrong, and what to do. Of a bug it is told no more than that; `onBug` is told all. */
export function failureWords(error: unknown, onBug: (error: unknown) => void): string {
	if (error instanceof AppError) {
		return sanitizeLine(error.message);
	}

	if (error instanceof ApiError) {
		const what = error.status === 401 ? ' Ask the person who configured this server for another key.' : '';
		return sanitizeLine(`${error.detail}${what}`);
	}

	if (error instanceof TooLongError) {
		return 'The response is too large to read here. The user can save the message: tinbox messages save';
	}

	if (error instanceof UnreachableError) {
		return sanitizeLine(`${error.message} Ask the user to start the daemon: tinbox daemon start`);
	}

	onBug(error);
	return 'Internal error in tinbox. Its log has the details.';
}
