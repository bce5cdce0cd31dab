import {login} from '../../config/kinds.js';
import type {Context} from '../context.js';
import {usageError} from '../output/exit.js';
import type {Server} from './smtp-client.js';

const defaultSmtpPort = 1025;

/** Where mail is sent: the given `host:port`, else the SMTP listener of the daemon in use. */
export async function findServer(
	server: string | undefined,
	{env, daemon, remoteUrl}: Pick<Context, 'env' | 'daemon' | 'remoteUrl'>,
): Promise<Server> {
	const auth = login.parse(env['TINBOX_SMTP_AUTH'] || 'none') ?? null;
	if (server !== undefined) {
		const [, host, port = String(defaultSmtpPort)] = /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(server) ?? [];
		if (host === undefined || Number(port) > 65_535) {
			throw usageError(`--server must be host:port, got "${server}".`);
		}

		return {host, port: Number(port), login: auth};
	}

	const url = remoteUrl();
	return url
		? {host: new URL(url).hostname, port: Number(env['TINBOX_SMTP_PORT'] || defaultSmtpPort), login: auth}
		: {...(await daemon()).smtp, login: auth};
}
