import {type DaemonSettings, flagOf, variableOf} from '../../config/settings.js';
import {bracketed} from '../../lib/hosts.js';
import {portHolder} from '../../runtime/port-holder.js';
import {Exit, exitCodes} from '../output/exit.js';

/** Says what is wrong with the address or port that cannot be listened on; any other error stays as it is. */
export function explainListenError(
	error: unknown,
	{host, smtpPort}: Pick<DaemonSettings, 'host' | 'smtpPort'>,
): unknown {
	if (!(error instanceof Error && 'syscall' in error && 'code' in error)) {
		return error;
	}

	const {address = '', port = 0} = error as NodeJS.ErrnoException & {address?: string; port?: number};
	const name = port === smtpPort ? 'smtpPort' : 'httpPort';
	const otherPort = `choose another port with ${flagOf(name)} or ${variableOf(name)}; 0 is any free one`;
	switch (error.code) {
		case 'EADDRINUSE': {
			const holder = portHolder(port);
			const by = holder ? ` by "${holder.command}" (process ${holder.pid})` : '';
			return new Exit(exitCodes.failed, 'port_taken', `Port ${port} on ${bracketed(address)} is taken${by}.`, {
				hint: `Stop that program, or ${otherPort}.`,
			});
		}
		case 'EACCES':
			return error.syscall === 'listen'
				? new Exit(exitCodes.failed, 'port_denied', `This user may not listen on port ${port}.`, {
						hint: `Ports below 1024 are for the system: ${otherPort}.`,
					})
				: error;
		case 'EADDRNOTAVAIL':
			return noSuchAddress(`This machine has no address ${bracketed(address)} to listen on.`);
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return noSuchAddress(`The host name "${host}" does not resolve, so there is no address to listen on.`);
		default:
			return error;
	}
}

function noSuchAddress(message: string): Exit {
	return new Exit(exitCodes.failed, 'no_such_address', message, {
		hint: `Choose another with ${flagOf('host')} or ${variableOf('host')}; 127.0.0.1 always works.`,
	});
}
