import type {Context, Next} from 'koa';
import {prefersPage} from '../pages.js';

/** Leads a browser from `/` to the web app. */
export function answerHome(ctx: Context, next: Next): Promise<void> | void {
	if (ctx.path !== '/' || !['GET', 'HEAD'].includes(ctx.method) || !prefersPage(ctx)) {
		return next();
	}

	ctx.redirect('/app/');
}
