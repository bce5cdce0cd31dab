import type {SendProvider} from './send.js';

/** By which sending API a mail came, and what the request says that the mail does not. */
export type SendRequestBody = {
	readonly provider: SendProvider;
	/** Of the request, below that of the provider. */
	readonly path: string;
	/** What the answer called the mail. */
	readonly id: string;
	readonly tags: ReadonlyArray<{readonly name: string | null; readonly value: string}>;
	readonly metadata: Readonly<Record<string, string>>;
	/** Null where it asked for none. */
	readonly template: {readonly id: string; readonly registered: boolean} | null;
	/** What was not understood, or is not done here, in sentences; the message has them among its own. */
	readonly warnings: readonly string[];
};

/** How a mail came. All but the host is as the client says it. */
export type SessionBody = {
	/** Null when it came in the clear. */
	readonly tls: {
		/** Such as `TLSv1.3`. */
		readonly version: string;
		/** Its standard name, such as `TLS_AES_256_GCM_SHA384`. */
		readonly cipher: string;
		/** What the client asked for by SNI; null when it did not. */
		readonly servername: string | null;
		/** The subject of the certificate that the client showed. */
		readonly client?: string;
	} | null;
	/** Null when nobody logged in. No password is kept. */
	readonly auth: {readonly mechanism: string; readonly user: string} | null;
	/** `helo` is what the client calls itself: for a sending API its `User-Agent`. */
	readonly client: {readonly host: string; readonly helo: string | null};
	/** Absent for mail that came by SMTP. */
	readonly request?: SendRequestBody;
};

/** The same in one line. It repeats text from outside. */
export function describeSession({tls, auth, client, request}: SessionBody): string {
	const name = tls?.servername == null ? '' : ` for ${tls.servername}`;
	const certificate = tls?.client === undefined ? '' : `, certificate ${tls.client}`;
	return [
		request && `by the API of ${request.provider}`,
		tls ? `${tls.version} (${tls.cipher})${name}${certificate}` : 'in the clear',
		auth && `login ${auth.mechanism} as ${JSON.stringify(auth.user)}`,
		`from ${client.host}${client.helo === null ? '' : ` (${client.helo})`}`,
	]
		.filter(Boolean)
		.join(', ');
}
