import type {Context, Next} from 'koa';
import {sendProviders} from '../../contract/constants.js';
import {AppError} from '../../domain/errors.js';
import {Preparer} from '../../send/preparer.js';
import {providers} from '../../send/providers.js';
import {ProviderRoutes, type Shared} from './provider-routes.js';
import {SendBodies} from './read-request.js';

/** Answers below `/send`, as each provider does, and `/v1/send`. Everything else is left to others. */
export function answerSending(services: Omit<Shared, 'bodies' | 'preparer'>) {
	const shared = {...services, bodies: new SendBodies(), preparer: new Preparer()};
	const known = new Map<string, Promise<ProviderRoutes>>();
	return async (ctx: Context, next: Next): Promise<void> => {
		if (ctx.get('X-Postmark-Server-Token') !== '' && /^\/email(?:\/|$)/.test(ctx.path)) {
			// One of its SDKs takes no path in its address.
			ctx.path = `/send/postmark${ctx.path}`;
		}

		const [, below] = /^\/send(?:\/([^/]*)|$)/.exec(ctx.path) ?? [];
		const name = ctx.path === '/v1/send' ? 'tinbox' : sendProviders.find(one => one !== 'tinbox' && one === below);
		const load = name && providers[name];
		if (load) {
			const routes = known.get(name) ?? load().then(provider => new ProviderRoutes(provider, shared));
			known.set(name, routes);
			await (await routes).answer(ctx);
		} else if (ctx.path === '/send' || below !== undefined) {
			throw noProvider(ctx.path);
		} else {
			await next();
		}
	};
}

function noProvider(path: string): AppError {
	const names = Object.keys(providers).filter(name => name !== 'tinbox');
	const bases = names.map(name => `/send/${name}`).join(', ');
	return new AppError('not_found', `${path} was not found. The sending APIs are ${bases} and POST /v1/send.`);
}
