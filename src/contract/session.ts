import type {SendProvider} from './send.js';

/** Sending API request of a mail, with values that are not part of the mail. */
export type SendRequestBody = {
	readonly provider: SendProvider;
	/** Path of the request, relative to the base path of the provider. */
	readonly path: string;
	/** Id of the mail in the response of the sending API. */
	readonly id: string;
	readonly tags: ReadonlyArray<{readonly name: string | null; readonly value: string}>;
	readonly metadata: Readonly<Record<string, string>>;
	/** Template of the mail (`registered` is true if tinbox has it); null for none. */
	readonly template: {readonly id: string; readonly registered: boolean} | null;
	/** Sentences about parts of the request that were not understood or have no effect here; also in the warnings of the message. */
	readonly warnings: readonly string[];
};

/** SMTP session or sending API request of a mail. All values except the host are given by the client. */
export type SessionBody = {
	/** TLS parameters; null for an unencrypted connection. */
	readonly tls: {
		/** TLS version, such as `TLSv1.3`. */
		readonly version: string;
		/** Standard name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`. */
		readonly cipher: string;
		/** Server name (SNI) that the client requested; null for none. */
		readonly servername: string | null;
		/** Subject of the verified client certificate; absent for none. */
		readonly client?: string;
	} | null;
	/** SMTP login; null if the client did not log in. Passwords are not stored. */
	readonly auth: {readonly mechanism: string; readonly user: string} | null;
	/** Client; `helo` is its name in HELO or EHLO, or its `User-Agent` for a sending API (null for none). */
	readonly client: {readonly host: string; readonly helo: string | null};
	/** Request of the sending API; absent for mail received over SMTP. */
	readonly request?: SendRequestBody;
};

/** A session in one line. Contains unsanitized text. */
export function describeSession({tls, auth, client, request}: SessionBody): string {
	const name = tls?.servername == null ? '' : ` for ${tls.servername}`;
	const certificate = tls?.client === undefined ? '' : `, certificate ${tls.client}`;
	return [
		request && `through the ${request.provider} API`,
		tls ? `${tls.version} (${tls.cipher})${name}${certificate}` : 'unencrypted',
		auth && `login ${auth.mechanism} as ${JSON.stringify(auth.user)}`,
		`from ${client.host}${client.helo === null ? '' : ` (${client.helo})`}`,
	]
		.filter(Boolean)
		.join(', ');
}
