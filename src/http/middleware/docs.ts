import {createHash} from 'node:crypto';
import type {Context, Next} from 'koa';
import {docsScript, docsStyle} from '../docs/look.js';
import {docsPage} from '../docs/page.js';
import {describeApi} from '../openapi/document.js';
import {operationGroups} from '../operations/index.js';
import {describePage} from '../pages.js';

/** The page runs and shows nothing but its own, and asks nobody. */
const policy = [
	"default-src 'none'",
	`style-src ${sourceOf(docsStyle)}`,
	`script-src ${sourceOf(docsScript)}`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

function sourceOf(text: string): string {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Answers at `/docs` with the description of the API, which is made when it is first asked for. */
export function answerDocs() {
	let page: string | undefined;
	return (ctx: Context, next: Next): Promise<void> | void => {
		if (ctx.path !== '/docs' || !['GET', 'HEAD'].includes(ctx.method)) {
			return next();
		}

		page ??= docsPage(describeApi(operationGroups));
		describePage(ctx, policy);
		ctx.body = page;
	};
}
