/**
 * Builds a request as a page or an attacker might send it; `ownHost` is the right host, `path` the path of the
 * route.
 */
export type RequestVariant = (request: {ownHost: string; port: number; path: string}) => {
	readonly target?: string;
	readonly version?: string;
	readonly headers: readonly string[];
};

/** Requests that pages of other sites might send. */
export const foreignRequests: Readonly<Record<string, RequestVariant>> = {
	'a rebound name': ({port}) => ({headers: [`Host: evil.example:${port}`]}),
	'a rebound name without a port': () => ({headers: ['Host: evil.example']}),
	'a name that begins with an own name': ({port}) => ({headers: [`Host: localhost.evil.example:${port}`]}),
	'a name that ends with an own name': ({port}) => ({headers: [`Host: evil.localhost:${port}`]}),
	'an own name with a trailing dot': ({port}) => ({headers: [`Host: localhost.:${port}`]}),
	'another port': ({port}) => ({headers: [`Host: localhost:${port + 1}`]}),
	'no port': () => ({headers: ['Host: localhost']}),
	'a user before the host': ({ownHost}) => ({headers: [`Host: ${ownHost}@evil.example`]}),
	'a foreign name as the user': ({ownHost}) => ({headers: [`Host: evil.example@${ownHost}`]}),
	'an empty host': () => ({headers: ['Host: ']}),
	'a list of hosts': ({ownHost}) => ({headers: [`Host: evil.example, ${ownHost}`]}),
	'another address of loopback': ({port}) => ({headers: [`Host: 127.0.0.2:${port}`]}),
	'loopback as a number': ({port}) => ({headers: [`Host: 2130706433:${port}`]}),
	'all interfaces': ({port}) => ({headers: [`Host: 0.0.0.0:${port}`]}),
	'loopback mapped into IPv6': ({port}) => ({headers: [`Host: [::ffff:127.0.0.1]:${port}`]}),
	'two hosts, the own one first': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Host: evil.example']}),
	'two hosts, the own one last': ({ownHost}) => ({headers: ['Host: evil.example', `Host: ${ownHost}`]}),
	'no host': () => ({headers: []}),
	'HTTP/1.0 without a host': () => ({version: '1.0', headers: []}),
	'HTTP/1.0 with a foreign host': ({port}) => ({version: '1.0', headers: [`Host: evil.example:${port}`]}),
	'a forwarded host': ({ownHost}) => ({headers: ['Host: evil.example', `X-Forwarded-Host: ${ownHost}`]}),
	'a foreign target of absolute form': ({ownHost, path}) => ({
		target: `http://evil.example${path}`,
		headers: [`Host: ${ownHost}`],
	}),
	'a user in the target': ({ownHost, path}) => ({
		target: `http://${ownHost}@evil.example${path}`,
		headers: [`Host: ${ownHost}`],
	}),
	'a target of another scheme': ({ownHost, path}) => ({
		target: `https://${ownHost}${path}`,
		headers: [`Host: ${ownHost}`],
	}),
	'an encoded path': ({port, path}) => ({
		target: path.replace('v1', '%761'),
		headers: [`Host: evil.example:${port}`],
	}),
	'a path with dots': ({port, path}) => ({target: `/x/..${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with two slashes': ({port, path}) => ({target: `/${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with a trailing slash': ({port, path}) => ({target: `${path}/`, headers: [`Host: evil.example:${port}`]}),
	'a foreign origin': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Origin: http://evil.example']}),
	'the origin of a file': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Origin: null']}),
	'an empty origin': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Origin: ']}),
	'the own origin with TLS': ({ownHost}) => ({headers: [`Host: ${ownHost}`, `Origin: https://${ownHost}`]}),
	'the origin of another port': ({ownHost, port}) => ({
		headers: [`Host: ${ownHost}`, `Origin: http://127.0.0.1:${port + 1}`],
	}),
	'the origin of another own name': ({ownHost, port}) => ({
		headers: [`Host: ${ownHost}`, `Origin: http://localhost:${port}`],
	}),
	'two origins': ({ownHost}) => ({
		headers: [`Host: ${ownHost}`, `Origin: http://${ownHost}`, 'Origin: http://evil.example'],
	}),
	'a fetch from another site': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Sec-Fetch-Site: cross-site']}),
	'a fetch from a sibling': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Sec-Fetch-Site: same-site']}),
};

/** Requests of the own site. */
export const ownRequests: Readonly<Record<string, RequestVariant>> = {
	'the address': ({ownHost}) => ({headers: [`Host: ${ownHost}`]}),
	'the name': ({port}) => ({headers: [`Host: localhost:${port}`]}),
	'the name in capitals': ({port}) => ({headers: [`Host: LOCALHOST:${port}`]}),
	'the address of IPv6': ({port}) => ({headers: [`Host: [::1]:${port}`]}),
	'the own origin': ({ownHost}) => ({
		headers: [`Host: ${ownHost}`, `Origin: http://${ownHost}`, 'Sec-Fetch-Site: same-origin'],
	}),
	'an address typed by the user': ({ownHost}) => ({headers: [`Host: ${ownHost}`, 'Sec-Fetch-Site: none']}),
	'a target of absolute form': ({ownHost, path}) => ({
		target: `http://${ownHost}${path}`,
		headers: [`Host: ${ownHost}`],
	}),
	'HTTP/1.0 with a host': ({ownHost}) => ({version: '1.0', headers: [`Host: ${ownHost}`]}),
};

/** Spellings of a path that some servers treat as equal. */
export const pathSpellings: Readonly<Record<string, (path: string) => string>> = {
	'a character encoded': path => path.replace('v1', '%761'),
	'every character encoded': path => path.replaceAll(/[a-z]/g, character => `%${character.charCodeAt(0).toString(16)}`),
	'encoded twice': path => path.replace('v1', '%25761'),
	'an encoded slash': path => path.replace('v1/', 'v1%2F'),
	'two slashes': path => `/${path}`,
	'a trailing slash': path => `${path}/`,
	'a dot': path => path.replace('v1/', 'v1/./'),
	'a parent folder': path => `/x/..${path}`,
	'an encoded parent folder': path => `/x/%2e%2e${path}`,
	'a backslash': path => path.replace('/v1/', '\\v1\\'),
	'capital letters': path => path.toUpperCase(),
	'a zero byte': path => `${path}%00`,
	'a parameter': path => `${path};x=y`,
	'an extension': path => `${path}.json`,
};
