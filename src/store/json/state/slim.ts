import type {Mailbox, Message, Summary} from '../../../domain/message.js';

const maxAddresses = 10_000;
const none: readonly string[] = [];

/**
 * Makes the same message in less memory: there may be very many, and most of what they say they say alike. Equal addresses
 * get one copy, and so do lists of one address. Version 0.1 wrote some messages without a summary, which is null until they
 * are completed, and summaries without `to`.
 */
export function createSlim(): (message: Message) => Message {
	const known = new Map<string, readonly [string]>();
	const alone = (address: string): readonly [string] => {
		const first = known.get(address);
		if (first !== undefined) {
			return first;
		}

		if (known.size === maxAddresses) {
			known.clear();
		}

		const list = [address] as const;
		known.set(address, list);
		return list;
	};
	const shared = (address: string): string => alone(address)[0];
	const sharedList = <M extends Mailbox>(list: readonly M[]): ReadonlyArray<M | string> => {
		const [first] = list;
		return list.length === 0 ? none : list.length === 1 && typeof first === 'string' ? alone(first) : list;
	};
	return message => {
		// `to` that came last would give each summary a hidden class of its own, and cost 300 bytes a message.
		const summary = message.summary && withTo(message.summary);
		return {
			...message,
			to: shared(message.to),
			envelope: {from: shared(message.envelope.from), to: sharedList(message.envelope.to.map(shared))},
			summary: summary && {
				...summary,
				from: shared(summary.from),
				...(summary.fromName !== undefined && {fromName: shared(summary.fromName)}),
				to: sharedList(summary.to),
				cc: sharedList(summary.cc),
				replyTo: sharedList(summary.replyTo),
			},
		};
	};
}

function withTo(summary: Omit<Summary, 'to'> & {readonly to?: Summary['to']}): Summary {
	return {to: none, ...summary};
}
