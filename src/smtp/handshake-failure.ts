/** Reasons why a handshake failed, by the codes of OpenSSL. */
const reasons: ReadonlyArray<readonly [code: RegExp, words: string]> = [
	[
		/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)/,
		'the client does not trust the certificate',
	],
	[/PROTOCOL|VERSION/, 'client and server have no TLS version in common'],
	[
		/CIPHER|HANDSHAKE_FAILURE|NO_SUITABLE|INSUFFICIENT_SECURITY/,
		'client and server have no cipher or key type in common',
	],
	[/ALERT/, 'the client aborted the handshake'],
];

/** Those of OpenSSL say in a word what their message says at length. */
type TlsError = NodeJS.ErrnoException & {readonly reason?: string};

/**
 * What went wrong in a handshake, or right after one that is done, in words for whoever runs the client. There is no error
 * where the client left: most verify a certificate by themselves, and leave without a word.
 */
export function explainHandshake(error: TlsError | undefined, isDone = false): string {
	const {code = 'ECONNRESET', message, reason = message} = error ?? {};
	if (code === 'ECONNRESET' || code === 'EPIPE') {
		return `the client disconnected ${isDone ? 'right after' : 'during'} the handshake, probably because it does not trust the certificate`;
	}

	const words = reasons.find(([pattern]) => pattern.test(code))?.[1] ?? `the handshake failed: ${reason}`;
	const [, alert] = /ALERT_(\w+)/.exec(code) ?? [];
	return alert === undefined ? words : `${words} (alert ${alert.toLowerCase().replaceAll('_', ' ')})`;
}
