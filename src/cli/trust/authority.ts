import {X509Certificate} from 'node:crypto';
import type {Context} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';

/** The certificate of the authority of the daemon in use, in PEM. */
export async function authorityOf({api}: Pick<Context, 'api'>): Promise<string> {
	const {tls} = await (await api()).daemon.get();
	if (tls.ca === null) {
		throw new Exit(exitCodes.failed, 'no_tls', 'TLS is disabled on this daemon.', {
			hint: 'Enable TLS: tinbox daemon restart --tls offer',
		});
	}

	// Whatever else an answer from elsewhere holds is not printed.
	return new X509Certificate(tls.ca).toString();
}
