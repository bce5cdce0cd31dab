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
	readonly client: {readonly host: string; readonly helo: string | null};
};

/** The same in one line. It repeats text from outside. */
export function describeSession({tls, auth, client}: SessionBody): string {
	const name = tls?.servername == null ? '' : ` for ${tls.servername}`;
	const certificate = tls?.client === undefined ? '' : `, certificate ${tls.client}`;
	return [
		tls ? `${tls.version} (${tls.cipher})${name}${certificate}` : 'in the clear',
		auth && `login ${auth.mechanism} as ${JSON.stringify(auth.user)}`,
		`from ${client.host}${client.helo === null ? '' : ` (${client.helo})`}`,
	]
		.filter(Boolean)
		.join(', ');
}
