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

/** What is known of a request before its body is read. */
export type Announced = Omit<SendRequest, 'body'>;

/** What a request says before its body; `prefix` is where the routes of its provider begin. */
export function announcedIn(ctx: Context, prefix: string, params: SendRequest['params'], now: Date): Announced {
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

/** Those that let somebody in. */
const credentials: ReadonlySet<string> = new Set([
	'authorization',
	'cookie',
	'proxy-authorization',
	'x-amz-security-token',
	'x-api-key',
	'x-postmark-account-token',
	'x-postmark-server-token',
]);

/** What of a request is kept with its mails. */
export function keptOf({method, path, query, headers, body}: SendRequest): Omit<StoredSendRequest, 'provider'> {
	const search = new URLSearchParams([...query].filter(([name]) => !/^x-amz-/i.test(name)));
	return {
		method,
		path: search.size === 0 ? path : `${path}?${search}`,
		headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name))),
		body,
	};
}

/** Bodies up to this length take turns among more. */
const mediumBytes = 256 * 1024;

/** Content-Encodings that are taken. */
const codings = ['', 'identity', 'gzip'];

/** Reads the bodies of requests to sending APIs. */
export class SendBodies {
	readonly #medium = new BodyQueue(64);
	readonly #large = new BodyQueue(4);

	/**
	 * Does the work with the body of a request; while it lasts, there are not many more large ones. Throws that it is too large,
	 * or of another type than these.
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

/** Characters of each text, as those of SMTP. */
const maxText = 320;

/** How the mails of a request come, whoever asks. */
export function howRequestCame({socket, headers}: IncomingMessage): Pick<Session, 'tls' | 'client'> {
	return {
		tls: socket instanceof TLSSocket ? tlsOf(socket) : null,
		client: {host: hostOf(socket), helo: shortCopy(headers['user-agent'] ?? '', maxText) || null},
	};
}

/** The address of a client; one of IPv4 as such. */
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
