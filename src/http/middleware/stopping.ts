import type {Context, Next} from 'koa';
import {AppError} from '../../domain/errors.js';
import type {Polls} from '../polls.js';

/** Refuses what still comes in while the server stops. */
export function refuseWhenStopping(polls: Polls) {
	return (ctx: Context, next: Next): Promise<void> => {
		if (!polls.admits(ctx.req)) {
			ctx.set('Connection', 'close');
			throw new AppError('stopping', 'The daemon is stopping. Try again once it runs.');
		}

		return next();
	};
}
