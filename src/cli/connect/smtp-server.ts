import {once} from 'node:events';
import {connect, isIPv6} from 'node:net';
import {login} from '../../config/kinds.js';
import type {CredentialsBody} from '../../contract/inboxes.js';
import {withoutBrackets} from '../../lib/io/hosts.js';
import type {Context} from '../context.js';
import {usageError} from '../output/exit.js';
import type {Server} from './smtp-client.js';

/** Finds the SMTP server: from the flags, the daemon in use, or SMTP_HOST and SMTP_PORT. */
export async function findServer({server, user}: ServerFlags, context: Pick<Context, 'env' | 'api'>): Promise<Server> {
	const found = server === undefined ? await usualServer(context) : namedServer(server, context.env);
	if (user === undefined) {
		return found;
	}

	const parsed = login.parse(user);
	if (!parsed) {
		throw usageError('--user must be user:password.');
	}

	return {...found, login: parsed};
}

const defaultSmtpPort = 1025;

/** Connection timeout before the next server is tried. */
const connectTimeoutMs = 2000;

export type ServerFlags = {
	/** `host:port`. */
	readonly server?: string;
	/** `user:password`. */
	readonly user?: string;
};

/** SMTP transaction: the server with its login, and the recipients. */
type Mailing = {readonly server: Server; readonly to: readonly string[]};

/** Plans the SMTP transactions of a mail: one, or one per recipient if clients must log in as the inbox. */
export async function mailingsTo(
	recipients: readonly string[],
	server: Server,
	{api}: Pick<Context, 'api'>,
): Promise<readonly Mailing[]> {
	if (!server.isForInboxes || server.login) {
		return [{server, to: recipients}];
	}

	const {inboxes} = await api();
	return Promise.all(recipients.map(async to => ({server: loggedIn(server, await inboxes.credentials(to)), to: [to]})));
}

/** Server with the login of an inbox. */
export function loggedIn(
	server: Server,
	{username: user, password}: Pick<CredentialsBody, 'username' | 'password'>,
): Server {
	return {...server, login: {user, password}};
}

async function usualServer({env, api}: Pick<Context, 'env' | 'api'>): Promise<Server> {
	const fallback = exportedServer(env);
	try {
		const {smtp, tls} = await (await api()).daemon.get();
		const {host, port, auth, auth_mode, auth_needs_tls} = smtp;
		const authority = tls?.mode === 'require' || auth_needs_tls ? (tls?.ca ?? null) : null;
		const reported = {host, port, login: auth, isForInboxes: auth_mode === 'inbox', authority};
		// A daemon in a container does not know the port on the host.
		return !fallback || (await canConnect(reported)) ? reported : fallback;
	} catch (error) {
		if (!fallback) {
			throw error;
		}

		return fallback;
	}
}

async function canConnect({host, port}: Server): Promise<boolean> {
	const socket = connect({host, port});
	return once(socket, 'connect', {signal: AbortSignal.timeout(connectTimeoutMs)})
		.then(
			() => true,
			() => false,
		)
		.finally(() => socket.destroy());
}

/** Server in the variables that `--format env` and `tinbox run` set. */
function exportedServer(env: NodeJS.ProcessEnv): Server | undefined {
	const {SMTP_HOST: host, SMTP_PORT: portText, SMTP_USER: user, SMTP_PASSWORD: password = ''} = env;
	const port = parsePort(portText || undefined);
	return host && port !== undefined
		? {host: withoutBrackets(host), port, login: user ? {user, password} : null}
		: undefined;
}

function namedServer(server: string, env: NodeJS.ProcessEnv): Server {
	const [, host = isIPv6(server) ? server : undefined, portText] = /^(\[.+\]|[^:]+)(?::(.*))?$/.exec(server) ?? [];
	const port = parsePort(portText);
	if (host === undefined || port === undefined) {
		throw usageError(`--server must be host:port, got "${server}".`, 'Put an IPv6 address in brackets: [::1]:1025');
	}

	return {host: withoutBrackets(host), port, login: login.parse(env['TINBOX_SMTP_AUTH'] || 'none') ?? null};
}

function parsePort(text = String(defaultSmtpPort)): number | undefined {
	return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}
