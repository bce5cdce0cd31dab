import {parseAnswer} from '../../client/caller.js';
import {fetchAnswer} from '../../client/exchange.js';
import {type DaemonSettings, flagOf, smtpsPortOf, variableOf} from '../../config/settings.js';
import type {HealthBody} from '../../contract/daemon.js';
import {bracketed, type HostPort, hostPort, reachableHost} from '../../lib/io/hosts.js';
import {portHolder} from '../../lib/io/sockets.js';
import {Exit, exitCodes} from '../output/exit.js';

const otherPorts = ['smtpPort', 'smtpsPort', 'httpsPort'] as const;

/** Says what is wrong with the address or port that cannot be listened on; any other error stays as it is. */
export async function explainListenError(
	error: unknown,
	settings: Pick<DaemonSettings, 'host' | 'tls' | (typeof otherPorts)[number] | 'httpPort'>,
): Promise<unknown> {
	if (!(error instanceof Error && 'syscall' in error && 'code' in error)) {
		return error;
	}

	const {host, smtpPort, httpPort, httpsPort} = settings;
	const {address = '', port = 0} = error as NodeJS.ErrnoException & {address?: string; port?: number};
	const ports = {smtpPort, smtpsPort: smtpsPortOf(settings), httpsPort};
	const name = otherPorts.find(name => ports[name] === port) ?? 'httpPort';
	const otherPort = `choose another port with ${flagOf(name)} or ${variableOf(name)}; 0 picks a free port`;
	switch (error.code) {
		case 'EADDRINUSE': {
			const holder = portHolder(port);
			const isTinbox = await answersAsTinbox({host: reachableHost(host), port: httpPort});
			const by = holder
				? ` by "${holder.command}" (process ${holder.pid})`
				: isTinbox
					? ' by another tinbox daemon'
					: '';
			return new Exit(exitCodes.failed, 'port_taken', `Port ${port} on ${bracketed(address)} is in use${by}.`, {
				hint: isTinbox
					? `That daemon belongs to another user or another TINBOX_HOME. Use free ports: tinbox daemon start ${flagOf('smtpPort')} 0 ${flagOf('httpPort')} 0`
					: `Stop that program, or ${otherPort}.`,
			});
		}
		case 'EACCES':
			return error.syscall === 'listen'
				? new Exit(exitCodes.failed, 'port_denied', `Permission denied: listening on port ${port}`, {
						hint: `Ports below 1024 are privileged: ${otherPort}.`,
					})
				: error;
		case 'EADDRNOTAVAIL':
			return noSuchAddress(`This machine does not have the address ${bracketed(address)}.`);
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return noSuchAddress(`Cannot resolve the host name "${host}".`);
		default:
			return error;
	}
}

function noSuchAddress(message: string): Exit {
	return new Exit(exitCodes.failed, 'no_such_address', message, {
		hint: `Choose another address with ${flagOf('host')} or ${variableOf('host')}; 127.0.0.1 always works.`,
	});
}

async function answersAsTinbox(place: HostPort): Promise<boolean> {
	const url = `http://${hostPort(place)}`;
	try {
		const {body} = await fetchAnswer(url, {method: 'GET', path: '/health', deadlineMs: 1000, maxBytes: 1024}, {});
		const {status, version} = parseAnswer<HealthBody>(url, body.toString());
		return ['ok', 'degraded'].includes(status) && typeof version === 'string';
	} catch {
		return false;
	}
}
