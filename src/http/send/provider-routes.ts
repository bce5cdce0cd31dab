import {Router} from '@koa/router';
import type {Context, Next} from 'koa';
import {type SendProvider, sendProviders} from '../../contract/constants.js';
import {AppError} from '../../domain/errors.js';
import {combineEffects, type FaultEffect} from '../../domain/faults/fault.js';
import {type Mailbox, readMailbox} from '../../domain/mail/message.js';
import {type MailOutcome, type Receipt, Unsent} from '../../domain/mail/sending.js';
import type {Log} from '../../lib/log.js';
import {formatAddress} from '../../send/mail-fields.js';
import {Preparer} from '../../send/prepare.js';
import type {Answer, FoundMail, Provider, SendRequest, SendRoute, SentMail, ShowRoute} from '../../send/provider.js';
import {providers} from '../../send/providers.js';
import type {ReadMessage} from '../../services/messages/contents.js';
import {type Asker, failureIn, type SendResult} from '../../services/sending/sending.js';
import type {HttpConnections} from '../server/connections.js';
import {requestId, traceIdOf} from '../server/problems.js';
import type {Services} from '../services.js';
import {connectionOf, type RequestHead, readRequestHead, SendBodies, storedRequest} from './request.js';
import {writeResponse} from './write-response.js';

/** Middleware for the sending APIs below `/send` and for `POST /v1/send`. */
export function answerSending(services: Omit<Shared, 'bodies' | 'preparer'>) {
	const shared = {...services, bodies: new SendBodies(), preparer: new Preparer()};
	const loaded = new Map<string, Promise<ProviderRoutes>>();
	return async (ctx: Context, next: Next): Promise<void> => {
		if (ctx.get('X-Postmark-Server-Token') !== '' && /^\/email(?:\/|$)/.test(ctx.path)) {
			// One SDK of Postmark supports no path in its base URL.
			ctx.path = `/send/postmark${ctx.path}`;
		}

		const [, below] = /^\/send(?:\/([^/]*)|$)/.exec(ctx.path) ?? [];
		const name = ctx.path === '/v1/send' ? 'tinbox' : sendProviders.find(one => one !== 'tinbox' && one === below);
		const load = name && providers[name];
		if (load) {
			const routes = loaded.get(name) ?? load().then(provider => new ProviderRoutes(provider, shared));
			loaded.set(name, routes);
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

/** Services that the routes of all providers share. */
type Shared = Pick<Services, 'sending' | 'repeats' | 'sentMails' | 'templateMails'> & {
	readonly connections: Pick<HttpConnections, 'belongsTo'>;
	readonly log: Log;
	readonly bodies: SendBodies;
	readonly preparer: Preparer;
};

/** Answer with the effect of a fault on it. */
type FaultyAnswer = {readonly answer: Answer; readonly effect: FaultEffect | null};

/** Path prefix of a provider. */
function prefixOf(name: SendProvider): string {
	return name === 'tinbox' ? '/v1' : `/send/${name}`;
}

/** Routes of one provider. All requests below its prefix get answers in its format, including errors. */
class ProviderRoutes {
	readonly #provider: Provider;
	readonly #shared: Shared;
	readonly #prefix: string;
	readonly #router: Router;

	constructor(provider: Provider, shared: Shared) {
		this.#provider = provider;
		this.#shared = shared;
		this.#prefix = prefixOf(provider.name);
		this.#router = new Router({prefix: this.#prefix, sensitive: true});
		for (const route of provider.routes) {
			const method = route.method.toLowerCase() as Lowercase<typeof route.method>;
			this.#router[method](route.path, async ctx =>
				this.#answer(ctx, ctx.params, head => this.#send(ctx, route, head)),
			);
		}

		for (const route of provider.shows ?? []) {
			this.#router.get(route.path, async ctx => this.#answer(ctx, ctx.params, head => this.#show(ctx, route, head)));
		}
	}

	async answer(ctx: Context): Promise<void> {
		await this.#router.routes()(ctx as never, async () =>
			this.#answer(ctx, {}, async () => this.#refuseUnmatched(ctx)),
		);
	}

	async #answer(
		ctx: Context,
		params: SendRequest['params'],
		handle: (head: RequestHead) => Promise<FaultyAnswer>,
	): Promise<void> {
		const head = readRequestHead(ctx, this.#prefix, params, new Date());
		const {answer, effect} = await handle(head).catch(error => this.#problem(ctx, head, error));
		await writeResponse(ctx, answer, effect);
	}

	async #send(ctx: Context, route: SendRoute, head: RequestHead): Promise<FaultyAnswer> {
		const {bodies, repeats} = this.#shared;
		const {asker, effect} = await this.#begin(ctx, head);
		const limits = {types: route.types, maxBytes: this.#maxBytes};
		return bodies.take(asker.sender.owner, ctx, limits, async body => {
			const request = {...head, body};
			const key = this.#provider.idempotencyKeyOf?.(head);
			const result =
				key === undefined
					? await this.#perform(asker, route, request)
					: await repeats.once({...asker, key, parts: [request.method, ctx.url, body]}, receiptFor =>
							this.#perform(asker, route, request, receiptFor),
						);
			return {answer: route.answer(result.outcomes, request), effect: combineEffects(effect, result.effect)};
		});
	}

	async #perform(
		asker: Asker,
		route: SendRoute,
		request: SendRequest,
		receipt?: (outcomes: readonly MailOutcome[]) => Receipt,
	): Promise<SendResult> {
		const {sending, preparer, sentMails} = this.#shared;
		const render = async (mail: SentMail) => this.#render(asker, route, mail);
		const mails = await preparer.prepare(asker.sender.owner, this.#provider, route, request, render);
		const result = await sending.send({
			...asker,
			request: storedRequest(request),
			mails,
			domain: request.params['domain'],
			isEachAlone: route.isEachAlone ?? false,
			receipt,
		});
		for (const outcome of result.outcomes) {
			const [messageId] = 'id' in outcome ? outcome.messageIds : [];
			if ('id' in outcome && messageId !== undefined) {
				sentMails.note({provider: asker.provider, id: outcome.id}, asker.sender, messageId);
			}
		}

		return result;
	}

	async #render(asker: Asker, {isEachAlone}: SendRoute, mail: SentMail) {
		try {
			return await this.#shared.templateMails.fill(asker, mail);
		} catch (error) {
			if (isEachAlone && error instanceof Unsent) {
				return {failure: error.failure};
			}

			throw error;
		}
	}

	async #show(ctx: Context, route: ShowRoute, head: RequestHead): Promise<FaultyAnswer> {
		const {sentMails} = this.#shared;
		const {asker, effect} = await this.#begin(ctx, head);
		const request = {...head, body: Buffer.alloc(0)};
		const id = route.idOf(request);
		const found = await sentMails.find({provider: this.#provider.name, id}, asker.sender);
		if (!found) {
			throw new Unsent({type: 'not_found_mail'});
		}

		return {answer: route.show(foundMail(id, found), request), effect};
	}

	async #begin(ctx: Context, head: RequestHead) {
		const {sending, connections} = this.#shared;
		const {name} = this.#provider;
		const trace = traceIdOf(ctx.req);
		const ids = trace === undefined ? {} : {request: trace};
		const begun = await sending.begin(name, this.#provider.keyOf(head), connectionOf(ctx.req), ids);
		connections.belongsTo(ctx.res, begun.asker.sender.owner);
		return begun;
	}

	#problem(ctx: Context, head: RequestHead, error: unknown): FaultyAnswer {
		const failure = failureIn(error, this.#maxBytes);
		if (!failure && !ctx.req.errored) {
			const request = requestId(ctx.req);
			this.#shared.log.error({request, err: error, method: ctx.method, path: ctx.path}, 'Request failed unexpectedly');
		}

		const effect = error instanceof Unsent ? error.effect : null;
		return {answer: this.#provider.problem(failure ?? {type: 'internal'}, head), effect};
	}

	#refuseUnmatched(ctx: Context): never {
		const {routes, shows = []} = this.#provider;
		const allow = this.#router
			.match(ctx.path, ctx.method)
			.path.flatMap(({methods}) => methods)
			.join(', ');
		if (allow !== '') {
			throw new Unsent({
				type: 'no_method',
				detail: `${ctx.path} does not support ${ctx.method}. Supported: ${allow}.`,
				allow,
			});
		}

		const all = [...routes, ...shows.map(({path}) => ({method: 'GET', path}))];
		const named = all.map(({method, path}) => `${method} ${this.#prefix}${path === '/' ? '' : path}`);
		const detail = `${ctx.method} ${ctx.path} was not found. Supported: ${named.join(', ')}.`;
		throw new Unsent({type: 'no_route', detail});
	}

	get #maxBytes(): number {
		return Math.min(this.#provider.maxBytes, this.#shared.sending.maxBytes);
	}
}

/** Sent mail in the form that providers show. */
function foundMail(id: string, {message, content}: ReadMessage): FoundMail {
	const {summary, envelope, receivedAt, session} = message;
	const {from, fromName = ''} = summary;
	const named = new Set([...summary.to, ...summary.cc].map(mailbox => readMailbox(mailbox).address.toLowerCase()));
	return {
		id,
		messageId: `<${summary.messageId}>`,
		createdAt: receivedAt,
		from: formatAddress({name: fromName, address: from}),
		to: summary.to.map(formatMailbox),
		cc: summary.cc.map(formatMailbox),
		bcc: envelope.to.filter(address => !named.has(address.toLowerCase())),
		replyTo: summary.replyTo.map(formatMailbox),
		subject: summary.subject,
		html: content.html || null,
		text: content.text || null,
		tags: session?.request?.tags ?? [],
	};
}

function formatMailbox(mailbox: Mailbox): string {
	const {name, address} = readMailbox(mailbox);
	return formatAddress({name: name ?? '', address});
}
