import type {IncomingMessage, ServerResponse} from 'node:http';
import {TLSSocket} from 'node:tls';
import {promisify} from 'node:util';
import zlib from 'node:zlib';
import {Router} from '@koa/router';
import type {Context, Next} from 'koa';
import {appHeader, sendProviders} from '../../contract/constants.js';
import {AppError} from '../../domain/errors.js';
import {combineEffects, type FaultEffect, slowChunks} from '../../domain/faults/fault.js';
import {type Mailbox, readMailbox, type Session} from '../../domain/mail/message.js';
import {SendError} from '../../domain/mail/sending.js';
import {errorCode} from '../../lib/errors.js';
import type {Log} from '../../lib/log.js';
import {shortText} from '../../lib/text/sanitize.js';
import {sleep} from '../../lib/time/sleep.js';
import {formatAddress} from '../../send/mail-fields.js';
import {type ComposeOptions, Preparer, type ReadMails, renderTemplates} from '../../send/prepare.js';
import type {Answer, FoundMail, Provider, SendRequest, SendRoute, SentMail, ShowRoute} from '../../send/provider.js';
import {providers} from '../../send/providers.js';
import type {ReadMessage} from '../../services/messages/contents.js';
import type {SendRequest as StoredSendRequest} from '../../services/messages/source.js';
import {type Asker, type CreateReceipt, failureIn, type SendResult} from '../../services/sending/sending.js';
import {BodyQueue, declaredLength} from '../server/bodies.js';
import {clientClosed, type HttpConnections} from '../server/connections.js';
import type {RequestTurns} from '../server/holders.js';
import {requestId, traceIdOf} from '../server/problems.js';
import type {Services} from '../services.js';

/** Middleware for the sending APIs below `/send` and for `POST /v1/send`. */
export function answerSending(services: Omit<Shared, 'bodies' | 'preparer'>) {
	const shared = {...services, bodies: new SendBodies(services.connections), preparer: new Preparer()};
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
	readonly connections: Pick<HttpConnections, 'belongsTo'> & RequestTurns;
	readonly log: Log;
	readonly bodies: SendBodies;
	readonly preparer: Preparer;
};

/** Answer with the effect of a fault on it. */
type FaultyAnswer = {readonly answer: Answer; readonly effect: FaultEffect | null};

/** Routes of one provider. All requests below its prefix get answers in its format, including errors. */
class ProviderRoutes {
	readonly #provider: Provider;
	readonly #shared: Shared;
	readonly #prefix: string;
	readonly #router: Router;

	constructor(provider: Provider, shared: Shared) {
		this.#provider = provider;
		this.#shared = shared;
		this.#prefix = provider.name === 'tinbox' ? '/v1' : `/send/${provider.name}`;
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
		const {bodies, repeats, connections, sending, preparer} = this.#shared;
		const {asker, effect} = await this.#begin(ctx, head);
		const limits = {types: route.types, maxBytes: this.#maxBytes};
		return bodies.take(ctx, limits, async body => {
			const request = {...head, body};
			const sources = sending.openSources(asker);
			try {
				const turn = async () => connections.turn(ctx.req);
				const options = {sources, turn};
				const {owner} = asker.sender;
				const mails = await preparer.read({owner, provider: this.#provider, route, request, ...options});
				const perform = async (receipt?: CreateReceipt) =>
					this.#perform(asker, route, request, mails, {...options, receipt});
				const key = this.#provider.idempotencyKeyOf?.(head);
				const parts = [request.method, ctx.url, body];
				const result =
					key === undefined
						? await perform()
						: await repeats.once({...asker, key, tenant: await sending.tenantOf(asker, mails), parts}, perform);
				return {answer: route.answer(result.outcomes, request), effect: combineEffects(effect, result.effect)};
			} finally {
				await sources.discard();
			}
		});
	}

	async #perform(
		asker: Asker,
		route: SendRoute,
		request: SendRequest,
		mails: ReadMails,
		{receipt, ...options}: ComposeOptions & {readonly receipt: CreateReceipt | undefined},
	): Promise<SendResult> {
		const {sending, sentMails} = this.#shared;
		const result = await sending.send({
			...asker,
			request: storedRequest(request),
			mails: await renderTemplates(mails, async mail => this.#render(asker, route, mail), options),
			domain: request.params['domain'],
			allowsPartialSuccess: route.allowsPartialSuccess ?? false,
			receipt,
			turn: options.turn,
		});
		for (const outcome of result.outcomes) {
			const [messageId] = 'id' in outcome ? outcome.messageIds : [];
			if ('id' in outcome && messageId !== undefined) {
				sentMails.note({provider: asker.provider, id: outcome.id}, asker.sender, messageId);
			}
		}

		return result;
	}

	async #render(asker: Asker, {allowsPartialSuccess}: SendRoute, mail: SentMail) {
		try {
			return await this.#shared.templateMails.compose(asker, mail);
		} catch (error) {
			if (allowsPartialSuccess && error instanceof SendError) {
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
			throw new SendError({type: 'not_found_mail'});
		}

		return {answer: route.show(foundMail(id, found), request), effect};
	}

	async #begin(ctx: Context, head: RequestHead) {
		const {sending, connections} = this.#shared;
		const {name} = this.#provider;
		const trace = traceIdOf(ctx.req);
		const ids = trace === undefined ? {} : {request: trace};
		const begun = await sending.begin(name, this.#provider.keyOf(head), connectionOf(ctx.req), ids);
		const {inboxId, owner} = begun.asker.sender;
		if (inboxId !== undefined) {
			connections.belongsTo(ctx.res, owner);
		}

		return begun;
	}

	#problem(ctx: Context, head: RequestHead, error: unknown): FaultyAnswer {
		const failure = failureIn(error, this.#maxBytes);
		if (!failure && !ctx.req.errored) {
			const request = requestId(ctx.req);
			this.#shared.log.error({request, err: error, method: ctx.method, path: ctx.path}, 'Request failed unexpectedly');
		}

		const effect = error instanceof SendError ? error.effect : null;
		return {answer: this.#provider.problem(failure ?? {type: 'internal'}, head), effect};
	}

	#refuseUnmatched(ctx: Context): never {
		const {routes, shows = []} = this.#provider;
		const allow = this.#router
			.match(ctx.path, ctx.method)
			.path.flatMap(({methods}) => methods)
			.join(', ');
		if (allow !== '') {
			throw new SendError({
				type: 'no_method',
				detail: `${ctx.path} does not support ${ctx.method}. Supported: ${allow}.`,
				allow,
			});
		}

		const all = [...routes, ...shows.map(({path}) => ({method: 'GET', path}))];
		const named = all.map(({method, path}) => `${method} ${this.#prefix}${path === '/' ? '' : path}`);
		const detail = `${ctx.method} ${ctx.path} was not found. Supported: ${named.join(', ')}.`;
		throw new SendError({type: 'no_route', detail});
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

const gunzip = promisify(zlib.gunzip);

/** Request without its body, which is not read yet. */
type RequestHead = Omit<SendRequest, 'body'>;

/** Reads the head of a request. `prefix` is the path of the provider's routes. */
function readRequestHead(ctx: Context, prefix: string, params: SendRequest['params'], now: Date): RequestHead {
	const headers = Object.entries(ctx.req.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
	return {
		method: ctx.method,
		path: ctx.path.slice(prefix.length) || '/',
		params,
		query: new URLSearchParams(ctx.querystring),
		headers: Object.fromEntries(headers),
		now,
	};
}

/** Headers with credentials, which are not stored. */
const credentials: ReadonlySet<string> = new Set([
	'authorization',
	'cookie',
	'proxy-authorization',
	'x-amz-security-token',
	'x-api-key',
	appHeader.toLowerCase(),
	'x-postmark-account-token',
	'x-postmark-server-token',
]);

/** Part of a request that is stored with its mails. */
function storedRequest({method, path, query, headers, body}: SendRequest): Omit<StoredSendRequest, 'provider'> {
	const search = new URLSearchParams([...query].filter(([name]) => !/^x-amz-/i.test(name)));
	return {
		method,
		path: search.size === 0 ? path : `${path}?${search}`,
		headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name))),
		body,
	};
}

/** Bodies up to this size have a higher concurrency limit. */
const mediumBytes = 256 * 1024;

/** Supported content encodings. */
const codings = ['', 'identity', 'gzip'];

/** Reads the bodies of requests to sending APIs. */
class SendBodies {
	readonly #medium: BodyQueue;
	readonly #large: BodyQueue;
	/** Places for compressed bodies, one per holder: 10 KB can be decompressed to the maximum size. */
	readonly #compressed: BodyQueue;

	constructor(turns: RequestTurns) {
		this.#medium = new BodyQueue(64, turns);
		this.#large = new BodyQueue(4, turns);
		this.#compressed = new BodyQueue(2, turns);
	}

	/**
	 * Reads the body and runs `work` with it. Limits the number of concurrent large bodies. Throws `SendError` for a body that is too
	 * large or has another media type.
	 */
	async take<T>(
		ctx: Context,
		{types, maxBytes}: {readonly types: readonly string[] | undefined; readonly maxBytes: number},
		work: (body: Buffer) => Promise<T>,
	): Promise<T> {
		const length = declaredLength(ctx.req);
		if (length === 0) {
			return work(Buffer.alloc(0));
		}

		const [type = ''] = ctx.get('Content-Type').split(';', 1);
		const coding = ctx.get('Content-Encoding').toLowerCase();
		if (types && (!types.includes(type.trim().toLowerCase()) || !codings.includes(coding))) {
			throw new SendError({type: 'media_type', types});
		}

		const turns = coding === 'gzip' ? this.#compressed : length > mediumBytes ? this.#large : this.#medium;
		return turns.take(ctx, maxBytes, async body => {
			if (!body) {
				throw new SendError({type: 'too_large', maxBytes});
			}

			return work(coding === 'gzip' ? await inflate(body, maxBytes) : body);
		});
	}
}

async function inflate(body: Buffer, maxBytes: number): Promise<Buffer> {
	try {
		return await gunzip(body, {maxOutputLength: maxBytes});
	} catch (error) {
		throw errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
			? new SendError({type: 'too_large', maxBytes})
			: new SendError({type: 'malformed', detail: 'The body is not valid gzip.'});
	}
}

/** Connection facts of a request, which are stored with its mails. */
function connectionOf({socket, headers}: IncomingMessage): Pick<Session, 'tls' | 'client'> {
	// Without the IPv6 prefix of IPv4 addresses.
	const host = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
	return {
		tls: socket instanceof TLSSocket ? tlsOf(socket) : null,
		client: {host, helo: shortText(headers['user-agent'] ?? '') || null},
	};
}

function tlsOf(socket: TLSSocket): Session['tls'] {
	const {servername} = socket as {readonly servername?: string | false};
	return {
		version: socket.getProtocol() ?? '',
		cipher: socket.getCipher().standardName,
		servername: servername ? shortText(servername) : null,
	};
}

/** Maximum size of the rest of a request body that is read and discarded. */
const maxDiscarded = 128 * 1024 * 1024;

/** Sends the answer of a provider, with the delay, drip or drop of a fault. */
async function writeResponse(
	ctx: Context,
	{status, headers = {}, body}: Answer,
	effect: FaultEffect | null,
): Promise<void> {
	const isText = typeof body === 'string';
	const bytes = Buffer.from(isText ? body : body === undefined ? '' : JSON.stringify(body));
	ctx.set('Content-Type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
	ctx.set(headers);
	if (!ctx.req.complete) {
		discardRest(ctx);
	}

	ctx.status = status;
	if (!effect) {
		ctx.body = bytes;
		return;
	}

	ctx.respond = false;
	await writeFaultyResponse(ctx.res, bytes, effect);
}

/** Reads the rest of the request: SDKs do not read the response while they write. */
function discardRest(ctx: Context): void {
	if (declaredLength(ctx.req) <= maxDiscarded) {
		ctx.req.resume();
	} else {
		ctx.set('Connection', 'close');
	}
}

async function writeFaultyResponse(response: ServerResponse, bytes: Buffer, effect: FaultEffect): Promise<void> {
	const {delayMs, byteDelayMs, drop} = effect;
	const closed = clientClosed(response);
	const pause = async (ms: number) => (ms === 0 ? undefined : sleep(ms, closed).catch(() => {}));
	await pause(delayMs);
	if (drop === 'before' || drop === 'after_commit') {
		response.destroy();
		return;
	}

	const isCut = drop === 'mid';
	response.writeHead(response.statusCode, {'Content-Length': bytes.length});
	for (const chunk of slowChunks(bytes, {byteDelayMs, isCut})) {
		await pause(chunk.delayMs);
		if (response.destroyed) {
			return;
		}

		await new Promise<void>(resolve => response.write(chunk.bytes, () => resolve()));
	}

	if (isCut) {
		response.destroy();
	} else {
		response.end();
	}
}
