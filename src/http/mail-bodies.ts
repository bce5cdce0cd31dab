import type {Context} from 'koa';
import {AppError} from '../domain/errors.js';
import {formatSize} from '../lib/text/units.js';
import {BodyTurns} from './body-turns.js';
import {HttpProblem} from './problem.js';

/** The type of mail as it is (RFC 2046, section 5.2.1). */
export const mailType = 'message/rfc822';

/** Reads requests whose body is a mail, in turns. */
export class MailBodies {
	readonly #turns = new BodyTurns(4);

	/** Does the work with the mail. Throws `HttpProblem` for another media type or no mail, and `too_large`. */
	async take<T>(owner: string, ctx: Context, maxBytes: number, work: (mail: Buffer) => Promise<T>): Promise<T> {
		const [type = ''] = ctx.get('Content-Type').split(';', 1);
		if (type.trim().toLowerCase() !== mailType || ctx.get('Content-Encoding') !== '') {
			throw new HttpProblem(
				'unsupported_media_type',
				`The body must be the source of a mail, sent with "Content-Type: ${mailType}".`,
			);
		}

		return this.#turns.take(owner, ctx, maxBytes, async mail => {
			assertMailSize(mail?.length ?? Number.POSITIVE_INFINITY, maxBytes);

			if (!mail?.length) {
				throw new HttpProblem('malformed', 'The mail is empty.');
			}

			return work(mail);
		});
	}
}

/** Throws `too_large`. */
export function assertMailSize(bytes: number, maxBytes: number): void {
	if (bytes > maxBytes) {
		throw new AppError('too_large', `The mail is larger than the limit of ${formatSize(maxBytes)}.`);
	}
}
