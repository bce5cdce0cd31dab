import type {Context} from 'koa';
import {AppError} from '../domain/errors.js';
import {type HostPort, isEverywhere, withoutBrackets} from '../lib/io/hosts.js';
import type {Services} from './services.js';

/** The address for a caller: a listener on all of them is reached where the API was. */
export function reachedFrom({hostname}: Context, {host, port}: HostPort): HostPort {
	return {host: isEverywhere(host) ? withoutBrackets(hostname) : host, port};
}

/** Where the caller reaches SMTP. Throws `stopping` while no mail is taken. */
export function listening(ctx: Context, intake: Services['intake']): HostPort {
	const smtp = intake.address();
	if (!smtp) {
		throw new AppError('stopping', 'This daemon is not accepting mail. Try again later.');
	}

	return reachedFrom(ctx, smtp);
}
