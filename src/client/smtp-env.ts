import type {CredentialsBody} from '../contract/inboxes.js';

/** The variables by which programs that send mail log in as an inbox; `MAILER_DSN` is Symfony's. */
export function smtpEnv({
	host,
	port,
	tls_port,
	username,
	password,
	url,
}: CredentialsBody): Readonly<Record<string, string>> {
	return {
		SMTP_HOST: host,
		SMTP_PORT: String(port),
		...(tls_port !== null && {SMTP_TLS_PORT: String(tls_port)}),
		SMTP_USER: username,
		SMTP_PASSWORD: password,
		SMTP_URL: url,
		MAILER_DSN: url,
	};
}
