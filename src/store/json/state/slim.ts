import type {Message} from '../../../domain/message.js';

const maxAddresses = 10_000;
const none: readonly string[] = [];

/**
 * Makes the same message in less memory: there may be very many, and most of what they say they say alike. Equal addresses
 * get one copy. Version 0.1 wrote some messages without a summary, which is null until they are completed.
 */
export function createSlim(): (message: Message) => Message {
	const known = new Map<string, string>();
	const shared = (address: string): string => {
		const first = known.get(address);
		if (first !== undefined) {
			return first;
		}

		if (known.size === maxAddresses) {
			known.clear();
		}

		known.set(address, address);
		return address;
	};
	return message => ({
		...message,
		to: shared(message.to),
		envelope: {from: shared(message.envelope.from), to: message.envelope.to.map(shared)},
		summary: message.summary && {
			...message.summary,
			from: shared(message.summary.from),
			cc: message.summary.cc.length === 0 ? none : message.summary.cc,
			replyTo: message.summary.replyTo.length === 0 ? none : message.summary.replyTo,
		},
	});
}
