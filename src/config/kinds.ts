import {isIP} from 'node:net';
import path from 'node:path';
import {apiKeyStart, type McpExtra, mcpExtras} from '../contract/constants.js';
import {plainAddress, withoutBrackets} from '../lib/io/hosts.js';
import {formatDuration, longestMs, parseDuration, parseSize} from '../lib/text/units.js';

/** Type of a setting: how its values are written in flags, variables and the settings file. */
export type Kind<T> = {
	/** Completes "must be …". */
	readonly expects: string;
	/** Returns undefined for an invalid text. */
	parse(text: string): T | undefined;
	/** Formats a value for `parse`; `String` by default. */
	format?(value: T): string;
	/** Contains a password: values are never printed. */
	readonly isSecret?: true;
	/** Comma-separated list; a flag may be repeated. */
	readonly isList?: true;
};

/** Text for an empty value, because an empty variable counts as not set. */
const none = 'none';

/** Texts for "no limit", as in the flags of an inbox. */
export const unbounded = {keep: 'all', keepFor: 'forever'} as const;

export const port: Kind<number> = wholeNumber('a port number from 0 to 65535 (0 picks a free port)', 0, 65_535);

export const portIfAny: Kind<number | null> = orNone(port);

/** Port at a fixed distance from another one by default. */
export const followingPort: Kind<number | null> = {
	expects: `${port.expects}, or "auto"`,
	parse: text => (text === 'auto' ? null : port.parse(text)),
	format: value => String(value ?? 'auto'),
};

export const count: Kind<number> = wholeNumber('a whole number of at least 1', 1, Number.MAX_SAFE_INTEGER);

export const duration: Kind<number> = durationWithin({});

export const countOrAll: Kind<number | null> = orNone(count, unbounded.keep);

export const durationOrEver: Kind<number | null> = orNone(
	durationWithin({minMs: 1, examples: '12h or 7d'}),
	unbounded.keepFor,
);

/** Duration within limits in milliseconds. */
export function durationWithin({minMs = 0, maxMs = longestMs, examples = '500ms, 30s or 2m'}): Kind<number> {
	const longest = formatDuration(maxMs);
	return {
		expects: `a duration ${minMs > 1 ? `from ${formatDuration(minMs)} to ${longest}` : `of at most ${longest}`}, such as ${examples}`,
		parse(text) {
			const ms = parseDuration(text);
			return ms !== undefined && ms >= minMs && ms <= maxMs ? ms : undefined;
		},
		format: formatDuration,
	};
}

export const size: Kind<number> = {
	expects: 'a size in bytes such as 512K or 25M',
	parse: text => parseSize(text) || undefined,
};

/** Limit per user and in total. */
export type Pair = {readonly perUser: number; readonly total: number};

export const countPair: Kind<Pair> = pair(count, 'such as 1000/5000');

export const sizePair: Kind<Pair> = pair(size, 'such as 1G/10G');

export const folder: Kind<string> = {
	expects: 'a folder',
	parse: text => (text === '' ? undefined : path.resolve(text)),
};

export const host: Kind<string> = {
	expects: 'an address or host name to listen on, such as 127.0.0.1',
	parse(text) {
		const bare = withoutBrackets(text);
		return isIP(bare) === 6 ? plainAddress(bare) : /^[\w.-]+$/.test(text) ? text : undefined;
	},
};

export const domainName: Kind<string> = {
	expects: 'a domain name such as tinbox.test',
	parse: text => (/^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text) ? text.toLowerCase() : undefined),
};

export const fileIfAny: Kind<string | null> = orNone({
	expects: 'a file',
	parse: text => (text === '' ? undefined : path.resolve(text)),
});

/** Certificate and key files (absolute paths) for a server name, or for all names below `*.example.com`. */
type NamedCertificate = {readonly name: string; readonly certificate: string; readonly key: string};

export const certificates: Kind<readonly NamedCertificate[]> = {
	expects: `"${none}" or <name>=<cert.pem>,<key.pem>; repeat the flag for more names`,
	parse(text) {
		const parts = text.split(',').map(part => part.trim());
		const found = parts.flatMap((part, index) => (index % 2 === 0 ? [namedCertificate(part, parts[index + 1])] : []));
		return text === none ? [] : found.every(one => one !== undefined) ? found : undefined;
	},
	format: items => items.map(({name, certificate, key}) => `${name}=${certificate},${key}`).join(',') || none,
	isList: true,
};

/** Null stores mail in files of the data directory. */
export const databaseUrl: Kind<string | null> = {
	expects: `the URL of a PostgreSQL database such as postgres://user@host:5432/name, or "${none}"`,
	parse: text => (text === none ? null : /^postgres(?:ql)?:\/\//.test(text) ? text : undefined),
	format: value => value ?? none,
	isSecret: true,
};

export const hostNames = list('host names separated by commas', name => /^[\w.-]+$/.test(name));

export const domainNames = list('lower-case domain names separated by commas', name => domainName.parse(name) === name);

export const subnets = list('addresses or subnets such as 10.1.0.0/16, separated by commas', text => {
	const [address = '', bits = '0', ...rest] = text.split('/');
	const maxBits = {0: -1, 4: 32, 6: 128}[isIP(address)] ?? -1;
	return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
});

/** Each name at most once, in any order. */
export const mcpExtraNames: Kind<readonly McpExtra[]> = {
	expects: `${mcpExtras.map(extra => `"${extra}"`).join(', ')}, or both separated by a comma, or "${none}"`,
	parse(text) {
		const names = text === none ? [] : text.split(',').map(name => name.trim());
		const extras = mcpExtras.filter(extra => names.includes(extra));
		return names.every(name => extras.some(extra => extra === name)) ? extras : undefined;
	},
	format: extras => extras.join(',') || none,
	isList: true,
};

export type Login = {readonly user: string; readonly password: string};

export const login: Kind<Login | null> = {
	expects: `user:password, or "${none}"`,
	parse(text) {
		const [, user, password] = /^([^:]+):(.*)$/s.exec(text) ?? [];
		return text === none ? null : user === undefined || password === undefined ? undefined : {user, password};
	},
	format: value => (value === null ? none : `${value.user}:${value.password}`),
	isSecret: true,
};

/** Logins accepted besides inboxes: any (also without a login), none, or the given one. */
export const smtpLogins: Kind<'any' | 'inbox' | Login> = {
	expects: '"any", "inbox" or user:password',
	parse(text) {
		const parsed = login.parse(text);
		return text === 'any' || text === 'inbox' ? text : parsed === null ? 'any' : parsed;
	},
	format: value => (typeof value === 'string' ? value : `${value.user}:${value.password}`),
	isSecret: true,
};

/** Setting with a fixed set of words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Kind<Word> {
	return {expects: `one of ${words.join(', ')}`, parse: text => words.find(word => word === text)};
}

export const isOn: Kind<boolean> = {
	expects: 'true or false',
	parse: text => (/^(?:true|1)$/.test(text) ? true : /^(?:false|0)$/.test(text) ? false : undefined),
};

const apiKeyPattern = new RegExp(`^${apiKeyStart}[\\w-]{16,180}$`);

export const apiKey: Kind<string | null> = {
	expects: `"${apiKeyStart}" followed by 16 to 180 letters, digits, "_" or "-", or "${none}"`,
	parse: text => (text === none ? null : apiKeyPattern.test(text) ? text : undefined),
	format: value => value ?? none,
	isSecret: true,
};

function namedCertificate(first: string, key = ''): NamedCertificate | undefined {
	const [, name, certificate] = /^((?:\*\.)?[\w.-]+)=(.+)$/.exec(first) ?? [];
	return name === undefined || certificate === undefined || key === ''
		? undefined
		: {name, certificate: path.resolve(certificate), key: path.resolve(key)};
}

function orNone<T>(kind: Kind<T>, word: string = none): Kind<T | null> {
	const {expects, parse, format = String} = kind;
	return {
		expects: `${expects}, or "${word}"`,
		parse: text => (text === word ? null : parse(text)),
		format: value => (value === null ? word : format(value)),
	};
}

function list(expects: string, isItem: (text: string) => boolean): Kind<readonly string[]> {
	return {
		expects: `${expects}, or "${none}"`,
		parse(text) {
			const items = text.split(',').map(item => item.trim());
			return text === none ? [] : items.every(isItem) ? items : undefined;
		},
		format: items => items.join(',') || none,
		isList: true,
	};
}

/** A single value applies to both. */
function pair(kind: Kind<number>, example: string): Kind<Pair> {
	return {
		expects: `${kind.expects}, or two of them (per user/in total) ${example}`,
		parse(text) {
			const texts = text.split('/');
			const [perUser, total] = [kind.parse(texts[0] ?? ''), kind.parse(texts.at(-1) ?? '')];
			return perUser === undefined || total === undefined || texts.length > 2 ? undefined : {perUser, total};
		},
		format: ({perUser, total}) => `${perUser}/${total}`,
	};
}

function wholeNumber(expects: string, min: number, max: number): Kind<number> {
	return {
		expects,
		parse: text => (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
	};
}
