import type {Message} from './message.js';

/** What a list or a wait asks for. Texts are compared as substrings without case; all that are given must hold. */
export type MessageFilter = {
	/** In the subject. */
	readonly q?: string | undefined;
	/** In the sender's address. */
	readonly from?: string | undefined;
	/** In the recipient's address. */
	readonly to?: string | undefined;
	/** Only messages newer than the one with this id, which need not exist any more. */
	readonly after?: string | undefined;
};

/** The sender as shown: the header's author, else the envelope's. */
export function senderOf(message: Message): string {
	return message.summary?.from || message.envelope.from;
}

/** Whether the message satisfies the filter's texts; `after` is a matter of order, which the store knows. */
export function matches(message: Message, {q, from, to}: MessageFilter): boolean {
	return includes(message.summary?.subject ?? '', q) && includes(senderOf(message), from) && includes(message.to, to);
}

function includes(text: string, part: string | undefined): boolean {
	return part === undefined || text.toLowerCase().includes(part.toLowerCase());
}
