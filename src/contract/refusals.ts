/** Stage of the session at which mail was refused; `connect` covers everything that is not about a mail. */
export type RefusalStage = 'connect' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data';

/** Refused or failed mail; a mail to several recipients has one refusal for each recipient concerned. */
export type RefusalBody = {
	/** Time of the refusal (ISO 8601). */
	readonly time: string;
	readonly client: {
		/** Address of the client. */
		readonly host: string;
		/** Name that the client gave in HELO or EHLO; null before it gave one. */
		readonly helo: string | null;
	};
	readonly stage: RefusalStage;
	/** Recipient; at `mail` the sender, at `auth` the inbox of the attempted login; null if none is known. */
	readonly address: string | null;
	/** SMTP reply sent; null if the client disconnected first. */
	readonly reply: string | null;
	/** Reason in words, to follow `RCPT <a@b.test>:`. */
	readonly reason: string;
};

/** Refused mail, the newest first. */
export type RefusalListBody = {readonly refusals: readonly RefusalBody[]};

/** Reason of a refusal if a fault closed the connection. */
export const droppedByFault = 'a fault closed the connection';

/** A refusal in one line, with a hint to the help about TLS. Contains unsanitized text. */
export function describeRefusal({stage, address, client, reason}: RefusalBody): string {
	const hint = stage === 'tls' ? ' (see: tinbox help tls)' : '';
	return `${stage.toUpperCase()} ${address === null ? `from ${client.host}` : `<${address}>`}: ${reason}${hint}`;
}
