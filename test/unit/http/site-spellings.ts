/** A request as some page or some trick would send it; `own` is the right host, `path` that of the route. */
export type Spelling = (request: {own: string; port: number; path: string}) => {
	readonly target?: string;
	readonly version?: string;
	readonly headers: readonly string[];
};

/** What no page of another site may come through with. */
export const foreign: Readonly<Record<string, Spelling>> = {
	'a rebound name': ({port}) => ({headers: [`Host: evil.example:${port}`]}),
	'a rebound name without a port': () => ({headers: ['Host: evil.example']}),
	'a name that begins like ours': ({port}) => ({headers: [`Host: localhost.evil.example:${port}`]}),
	'a name that ends like ours': ({port}) => ({headers: [`Host: evil.localhost:${port}`]}),
	'our name with a dot behind': ({port}) => ({headers: [`Host: localhost.:${port}`]}),
	'another port': ({port}) => ({headers: [`Host: localhost:${port + 1}`]}),
	'no port': () => ({headers: ['Host: localhost']}),
	'a user before the host': ({own}) => ({headers: [`Host: ${own}@evil.example`]}),
	'a user that is evil': ({own}) => ({headers: [`Host: evil.example@${own}`]}),
	'an empty host': () => ({headers: ['Host: ']}),
	'a list of hosts': ({own}) => ({headers: [`Host: evil.example, ${own}`]}),
	'another address of loopback': ({port}) => ({headers: [`Host: 127.0.0.2:${port}`]}),
	'loopback as a number': ({port}) => ({headers: [`Host: 2130706433:${port}`]}),
	'all interfaces': ({port}) => ({headers: [`Host: 0.0.0.0:${port}`]}),
	'loopback mapped into IPv6': ({port}) => ({headers: [`Host: [::ffff:127.0.0.1]:${port}`]}),
	'two hosts, ours first': ({own}) => ({headers: [`Host: ${own}`, 'Host: evil.example']}),
	'two hosts, ours last': ({own}) => ({headers: ['Host: evil.example', `Host: ${own}`]}),
	'no host': () => ({headers: []}),
	'HTTP/1.0 without a host': () => ({version: '1.0', headers: []}),
	'HTTP/1.0 with a foreign host': ({port}) => ({version: '1.0', headers: [`Host: evil.example:${port}`]}),
	'a forwarded host': ({own}) => ({headers: ['Host: evil.example', `X-Forwarded-Host: ${own}`]}),
	'a foreign target of absolute form': ({own, path}) => ({
		target: `http://evil.example${path}`,
		headers: [`Host: ${own}`],
	}),
	'a user in the target': ({own, path}) => ({target: `http://${own}@evil.example${path}`, headers: [`Host: ${own}`]}),
	'a target of another scheme': ({own, path}) => ({target: `https://${own}${path}`, headers: [`Host: ${own}`]}),
	'an encoded path': ({port, path}) => ({
		target: path.replace('v1', '%761'),
		headers: [`Host: evil.example:${port}`],
	}),
	'a path with dots': ({port, path}) => ({target: `/x/..${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with two slashes': ({port, path}) => ({target: `/${path}`, headers: [`Host: evil.example:${port}`]}),
	'a path with a slash behind': ({port, path}) => ({target: `${path}/`, headers: [`Host: evil.example:${port}`]}),
	'a foreign origin': ({own}) => ({headers: [`Host: ${own}`, 'Origin: http://evil.example']}),
	'the origin of a file': ({own}) => ({headers: [`Host: ${own}`, 'Origin: null']}),
	'an empty origin': ({own}) => ({headers: [`Host: ${own}`, 'Origin: ']}),
	'our origin with TLS': ({own}) => ({headers: [`Host: ${own}`, `Origin: https://${own}`]}),
	'the origin of another port': ({own, port}) => ({
		headers: [`Host: ${own}`, `Origin: http://127.0.0.1:${port + 1}`],
	}),
	'the origin of another name of ours': ({own, port}) => ({
		headers: [`Host: ${own}`, `Origin: http://localhost:${port}`],
	}),
	'two origins': ({own}) => ({headers: [`Host: ${own}`, `Origin: http://${own}`, 'Origin: http://evil.example']}),
	'a fetch from another site': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: cross-site']}),
	'a fetch from a sibling': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: same-site']}),
};

/** What our own site may use. */
export const own: Readonly<Record<string, Spelling>> = {
	'the address': ({own}) => ({headers: [`Host: ${own}`]}),
	'the name': ({port}) => ({headers: [`Host: localhost:${port}`]}),
	'the name in capitals': ({port}) => ({headers: [`Host: LOCALHOST:${port}`]}),
	'the address of IPv6': ({port}) => ({headers: [`Host: [::1]:${port}`]}),
	'our origin': ({own}) => ({headers: [`Host: ${own}`, `Origin: http://${own}`, 'Sec-Fetch-Site: same-origin']}),
	'an address typed by the user': ({own}) => ({headers: [`Host: ${own}`, 'Sec-Fetch-Site: none']}),
	'a target of absolute form': ({own, path}) => ({target: `http://${own}${path}`, headers: [`Host: ${own}`]}),
	'HTTP/1.0 with a host': ({own}) => ({version: '1.0', headers: [`Host: ${own}`]}),
};

/** Ways to spell a path that some server somewhere takes for the same one. */
export const respelled: Readonly<Record<string, (path: string) => string>> = {
	'a character encoded': path => path.replace('v1', '%761'),
	'every character encoded': path => path.replaceAll(/[a-z]/g, character => `%${character.charCodeAt(0).toString(16)}`),
	'encoded twice': path => path.replace('v1', '%25761'),
	'an encoded slash': path => path.replace('v1/', 'v1%2F'),
	'two slashes': path => `/${path}`,
	'a slash behind': path => `${path}/`,
	'a dot': path => path.replace('v1/', 'v1/./'),
	'a way up': path => `/x/..${path}`,
	'an encoded way up': path => `/x/%2e%2e${path}`,
	'a backslash': path => path.replace('/v1/', '\\v1\\'),
	'capital letters': path => path.toUpperCase(),
	'a zero byte': path => `${path}%00`,
	'a parameter': path => `${path};x=y`,
	'an extension': path => `${path}.json`,
};
