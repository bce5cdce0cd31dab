import type {IncomingMessage} from 'node:http';
import {TLSSocket} from 'node:tls';
import {promisify} from 'node:util';
import zlib from 'node:zlib';
import type {Context} from 'koa';
import type {Session} from '../../domain/mail/message.js';
import {Unsent} from '../../domain/mail/sending.js';
import {errorCode} from '../../lib/errors.js';
import {shortCopy} from '../../lib/text/sanitize.js';
import type {SendRequest} from '../../send/provider.js';
import type {SendRequest as StoredSendRequest} from '../../services/messages/source.js';
import {BodyQueue, declaredLength} from '../server/bodies.js';

const gunzip = promisify(zlib.gunzip);

/** Request without its body, which is not read yet. */
export type RequestHead = Omit<SendRequest, 'body'>;

/** Reads the head of a request. `prefix` is the path of the provider's routes. */
export function readRequestHead(ctx: Context, prefix: string, params: SendRequest['params'], now: Date): RequestHead {
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
	'x-postmark-account-token',
	'x-postmark-server-token',
]);

/** Part of a request that is stored with its mails. */
export function storedRequest({method, path, query, headers, body}: SendRequest): Omit<StoredSendRequest, 'provider'> {
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
export class SendBodies {
	readonly #medium = new BodyQueue(64);
	readonly #large = new BodyQueue(4);

	/**
	 * Reads the body and runs `work` with it. Limits the number of concurrent large bodies. Throws `Unsent` for a body that is too
	 * large or has another media type.
	 */
	async take<T>(
		owner: string,
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
			throw new Unsent({type: 'media_type', types});
		}

		const turns = length > mediumBytes || coding === 'gzip' ? this.#large : this.#medium;
		return turns.take(owner, ctx, maxBytes, async body => {
			if (!body) {
				throw new Unsent({type: 'too_large', maxBytes});
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
			? new Unsent({type: 'too_large', maxBytes})
			: new Unsent({type: 'malformed', detail: 'The body is not valid gzip.'});
	}
}

/** Maximum length of each text, as for SMTP sessions. */
const maxText = 320;

/** Connection facts of a request, which are stored with its mails. */
export function connectionOf({socket, headers}: IncomingMessage): Pick<Session, 'tls' | 'client'> {
	return {
		tls: socket instanceof TLSSocket ? tlsOf(socket) : null,
		client: {host: hostOf(socket), helo: shortCopy(headers['user-agent'] ?? '', maxText) || null},
	};
}

/** Client address, without the IPv6 prefix of IPv4 addresses. */
function hostOf({remoteAddress = ''}: IncomingMessage['socket']): string {
	return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
}

function tlsOf(socket: TLSSocket): Session['tls'] {
	const {servername} = socket as {readonly servername?: string | false};
	return {
		version: socket.getProtocol() ?? '',
		cipher: socket.getCipher().standardName,
		servername: servername ? shortCopy(servername, maxText) : null,
	};
}
