import type {DaemonState} from '../runtime/state-file.js';

/** The variables by which other programs, the CLI among them, reach a daemon. */
export function connectionEnv(
	{url, smtp}: Pick<DaemonState, 'url' | 'smtp'>,
	apiKey: string,
): Readonly<Record<'TINBOX_URL' | 'TINBOX_API_KEY' | 'SMTP_HOST' | 'SMTP_PORT', string>> {
	return {TINBOX_URL: url, TINBOX_API_KEY: apiKey, SMTP_HOST: smtp.host, SMTP_PORT: String(smtp.port)};
}
