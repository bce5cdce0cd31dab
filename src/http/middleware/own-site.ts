import type {IncomingMessage} from 'node:http';
import {isIP} from 'node:net';
import type {Context, Next} from 'koa';
import {bracketed, isEverywhere} from '../../lib/io/hosts.js';
import {HttpProblem} from '../server/problems.js';

export type SiteOptions = {
	/** The address that the listener is bound to. */
	readonly host: string;
	/** Further names under which it is reached, such as that of a container. */
	readonly names: readonly string[];
};

/**
 * Keeps web pages out: loopback is no wall, since a browser on this machine sends requests for any page that it shows.
 * This looks at the whole request and never at the path, so no spelling of a path gets around it.
 *
 * - The host must be a name of the listener, with its port. Otherwise a page could have its own name point at
 *   127.0.0.1 and then count as the same site (DNS rebinding).
 * - An origin, if one is sent, must be the very host asked for; `Sec-Fetch-Site`, if sent, must not be another site.
 *
 * A listener on all interfaces (`0.0.0.0`, `::`) is reached by addresses and ports that it cannot know, as those of
 * a container's host: it takes every literal address, to which no name can be rebound, with every port.
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

/** As through `ssh -L 9000:localhost:8025`. */
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

/** RFC 9112, section 3.2, and stricter: HTTP/1.0 must name its host, too. */
function onlyHost({rawHeaders, headers}: IncomingMessage): string {
	const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
	if (hosts.length !== 1 || headers.host === undefined) {
		throw new HttpProblem('malformed', 'A request must have exactly one Host header.');
	}

	return headers.host;
}

/** The host in a request target of absolute form (RFC 9112, section 3.2.2), which counts before the header. */
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
