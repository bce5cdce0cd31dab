import type {DaemonSettings} from './settings.js';

/** The port for mail that begins with TLS; undefined where none does. */
export function smtpsPortOf({
	tls,
	smtpPort,
	smtpsPort,
}: Pick<DaemonSettings, 'tls' | 'smtpPort' | 'smtpsPort'>): number | undefined {
	// Above the last port there is any free one.
	const usual = smtpPort === 0 || smtpPort + 440 > 65_535 ? 0 : smtpPort + 440;
	return tls === 'off' ? undefined : (smtpsPort ?? usual);
}
