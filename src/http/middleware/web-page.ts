import {createHash} from 'node:crypto';
import {readdir, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import path from 'node:path';
import type {Context, Next} from 'koa';
import {AppError} from '../../domain/errors.js';
import {describePage, policyOf, prefersPage} from '../pages/html-page.js';

/** Only own assets, and connections to this daemon. */
const policy = policyOf(
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"frame-src 'self'",
);

/** File extensions of compressed assets by content coding. */
const codings = {br: '.br', gzip: '.gz'} as const;

/** Files of the page by name; small enough to keep in memory. */
type Files = ReadonlyMap<string, {readonly bytes: Buffer; readonly tag: string}>;

/** Serves the web page and its assets below `/app/`. The files are read at the first request. */
export function answerWebPage() {
	let reading: Promise<Files> | undefined;
	return async (ctx: Context, next: Next): Promise<void> => {
		if (!['GET', 'HEAD'].includes(ctx.method) || !/^\/app(?:\/|$)/.test(ctx.path) || isApi(ctx.path)) {
			return next();
		}

		if (ctx.path === '/app') {
			ctx.redirect(`/app/${ctx.search}`);
			return;
		}

		reading ??= readFiles().catch(error => {
			reading = undefined;
			throw error;
		});
		const files = await reading;
		if (ctx.path.startsWith('/app/assets/')) {
			sendAsset(ctx, files);
		} else {
			describePage(ctx, policy);
			ctx.set('Cache-Control', 'no-cache');
			send(ctx, files, 'index.html');
		}
	};
}

function isApi(target: string): boolean {
	return target === '/app/session' || target === '/app/v1' || target.startsWith('/app/v1/');
}

function sendAsset(ctx: Context, files: Files): void {
	const name = ctx.path.slice('/app/'.length);
	const type = /\.(?:js|css)$/.exec(name)?.[0];
	if (type === undefined || !files.has(name)) {
		throw new AppError('not_found', `${ctx.path} was not found. Reload the page.`);
	}

	ctx.type = type;
	// The name contains a hash of the content.
	ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
	send(ctx, files, name);
}

/** Sends a file in the best content coding that the client accepts. */
function send(ctx: Context, files: Files, name: string): void {
	ctx.vary('Accept-Encoding');
	const coding = ctx.acceptsEncodings('br', 'gzip', 'identity');
	const compressed = coding === 'br' || coding === 'gzip' ? files.get(name + codings[coding]) : undefined;
	const file = compressed ?? files.get(name);
	if (!file) {
		throw new Error(`The file ${name} is missing from the package.`);
	}

	ctx.status = 200;
	ctx.etag = file.tag;
	if (ctx.fresh) {
		ctx.status = 304;
		return;
	}

	if (compressed && coding) {
		ctx.set('Content-Encoding', coding);
	}

	ctx.body = file.bytes;
}

async function readFiles(): Promise<Files> {
	const folder = path.dirname(createRequire(import.meta.url).resolve('#web'));
	const names = await readdir(folder, {recursive: true, withFileTypes: true});
	const files = names
		.filter(entry => entry.isFile())
		.map(async entry => {
			const file = path.join(entry.parentPath, entry.name);
			const bytes = await readFile(file);
			const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
			return [path.relative(folder, file).replaceAll(path.sep, '/'), {bytes, tag}] as const;
		});
	return new Map(await Promise.all(files));
}

/** Redirects browsers from `/` to the web app. */
export function answerHome(ctx: Context, next: Next): Promise<void> | void {
	if (ctx.path !== '/' || !['GET', 'HEAD'].includes(ctx.method) || !prefersPage(ctx)) {
		return next();
	}

	ctx.redirect('/app/');
}
