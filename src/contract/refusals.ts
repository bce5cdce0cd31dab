/** What a client was at when it was refused; `connect` is whatever is not about a mail. */
export type RefusalStage = 'connect' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data';

/** Mail that was refused, or failed to come: of a mail to several recipients, once for each of those it concerns. */
export type RefusalBody = {
	readonly time: string;
	readonly client: {
		readonly host: string;
		/** How it calls itself; null before it said so. */
		readonly helo: string | null;
	};
	readonly stage: RefusalStage;
	/** The recipient; at `mail` the sender; at `auth` the inbox as which somebody tried to log in; null where none is known. */
	readonly address: string | null;
	/** What the client was told; null when it left before. */
	readonly reply: string | null;
	/** The same in words, as they follow "RCPT <a@b.test>:". */
	readonly reason: string;
};

/** The newest first. */
export type RefusalListBody = {readonly refusals: readonly RefusalBody[]};

/** The reason where a fault had the connection dropped. */
export const droppedByFault = 'the connection was dropped, as a fault asks for';

/** A refusal in one line, with what to read about those that are about TLS. It repeats text from outside. */
export function describeRefusal({stage, address, client, reason}: RefusalBody): string {
	const hint = stage === 'tls' ? ' (see: tinbox help tls)' : '';
	return `${stage.toUpperCase()} ${address === null ? `from ${client.host}` : `<${address}>`}: ${reason}${hint}`;
}
