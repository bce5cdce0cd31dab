import type {IncomingMessage} from 'node:http';
import {isIP} from 'node:net';
import type {Context, Next} from 'koa';
import {bracketed, isEverywhere} from '../../lib/io/hosts.js';
import {HttpProblem} from '../server/problems.js';

export type SiteOptions = {
	/** Address of the listener. */
	readonly host: string;
	/** Additional host names, for example of a container. */
	readonly names: readonly string[];
};

/**
 * Rejects requests of foreign web pages. Listening on loopback does not keep them out, because a browser on this machine sends requests
 * for every page that it shows. The path is not considered, so no spelling of a path bypasses the check.
 *
 * - The host must be a name of the listener with its port. Otherwise a page could resolve its own name to 127.0.0.1 and count as the
 *   same site (DNS rebinding).
 * - The origin, if sent, must be the requested host; `Sec-Fetch-Site`, if sent, must not be another site.
 *
 * A listener on all interfaces (`0.0.0.0`, `::`) has unknown addresses and ports, for example on the host of a container.
 * It accepts every literal address with every port, because an address cannot be rebound.
 */
export function admitOwnSite(options: SiteOptions) {
	const assertOwn = ownHosts(options);
	return (ctx: Context, next: Next): Promise<void> => {
		const host = onlyHost(ctx.req);
		for (const authority of [host, ...targetAuthority(ctx)]) {
			assertOwn(authority, ctx.secure ? 443 : 80, ctx.req.socket.localPort);
		}

		const own = `${ctx.protocol}://${host}`;
		const {origin = own, 'sec-fetch-site': site = 'none'} = ctx.req.headers;
		if (origin !== own || (site !== 'none' && site !== 'same-origin')) {
			throw new HttpProblem('foreign_origin', 'Requests from other web sites are not allowed.');
		}

		return next();
	};
}

function foreignHost(authority: string): HttpProblem {
	const [, name] = /^([\w.-]+)(?::\d+)?$/.exec(authority) ?? [];
	const remedy = name === undefined ? '' : `, or start the daemon with --host-names ${name}`;
	return new HttpProblem('foreign_host', `"${authority}" is not a host name of this daemon. Use its address${remedy}.`);
}

/** Error for a wrong port, as through `ssh -L 9000:localhost:8025`. */
function foreignPort(authority: string, port: number | undefined): HttpProblem {
	return new HttpProblem(
		'foreign_host',
		`"${authority}" does not have the port of this daemon. Use port ${port}, also through a tunnel or a proxy.`,
	);
}

function ownHosts({host, names}: SiteOptions) {
	const own = new Set(['127.0.0.1', 'localhost', '[::1]', bracketed(host), ...names].map(name => name.toLowerCase()));
	return (authority: string, usualPort: number, port: number | undefined): void => {
		const [, name = '', given = usualPort] =
			/^(\[[^\]]*\]|[^:@/]*)(?::(\d{1,5}))?$/.exec(authority.toLowerCase()) ?? [];
		const isName = own.has(name) || (isEverywhere(host) && isLiteral(name));
		if (!isName) {
			throw foreignHost(authority);
		}

		if (!isEverywhere(host) && Number(given) !== port) {
			throw foreignPort(authority, port);
		}
	};
}

function isLiteral(name: string): boolean {
	return isIP(name) === 4 || (name.startsWith('[') && isIP(name.slice(1, -1)) === 6);
}

/** Value of the only Host header (RFC 9112, section 3.2). Also required in HTTP/1.0. */
function onlyHost({rawHeaders, headers}: IncomingMessage): string {
	const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
	if (hosts.length !== 1 || headers.host === undefined) {
		throw new HttpProblem('malformed', 'A request must have exactly one Host header.');
	}

	return headers.host;
}

/** Host of a request target in absolute form (RFC 9112, section 3.2.2), which takes precedence over the header. */
function targetAuthority({req: {url = ''}, protocol}: Context): readonly string[] {
	if (url.startsWith('/') || url === '*') {
		return [];
	}

	const [, scheme, authority] = /^(https?):\/\/([^/?#]*)/i.exec(url) ?? [];
	if (authority === undefined || scheme?.toLowerCase() !== protocol) {
		throw new HttpProblem('malformed', `The request target must be a path or an ${protocol} URL.`);
	}

	return [authority];
}
