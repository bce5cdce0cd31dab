import type {Message} from '../../../domain/message.js';
import type {Strings} from './strings.js';

const none: readonly string[] = [];

/** The same message in less memory. There may be very many, and most of what they say they say alike. */
export function slim(message: Message, strings: Strings): Message {
	const {envelope, summary, to} = message;
	return {
		...message,
		to: strings.shared(to),
		envelope: {from: strings.shared(envelope.from), to: envelope.to.map(address => strings.shared(address))},
		summary: summary && {
			...summary,
			from: strings.shared(summary.from),
			cc: summary.cc.length === 0 ? none : summary.cc,
			replyTo: summary.replyTo.length === 0 ? none : summary.replyTo,
		},
	};
}
