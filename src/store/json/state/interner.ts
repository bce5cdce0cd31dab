import type {Mailbox, Message, Session} from '../../../domain/mail/message.js';

const maxAddresses = 10_000;
const maxSessions = 1000;
const none: readonly string[] = [];

/**
 * Creates a function that rebuilds a message so that equal addresses, lists of one address, and sessions are shared between
 * messages. Saves memory, since there may be very many messages with mostly equal values.
 */
export function createInterner(): (message: Message) => Message {
	const singletons = createPool<string, readonly [string]>(maxAddresses);
	const sessionsByJson = createPool<string, Session>(maxSessions);
	// Mails of one connection have the same session object, which saves the JSON.
	const sessionsByIdentity = createPool<Session, Session>(maxSessions);
	const internSession = (session: Session) =>
		sessionsByIdentity(session, () => sessionsByJson(JSON.stringify(session), () => session));
	const singleton = (address: string) => singletons(address, () => [address]);
	const intern = (address: string): string => singleton(address)[0];
	const internList = <M extends Mailbox>(list: readonly M[]): ReadonlyArray<M | string> => {
		const [first] = list;
		return list.length === 0 ? none : list.length === 1 && typeof first === 'string' ? singleton(first) : list;
	};
	return message => {
		const {session, summary} = message;
		const {from, to, dsn} = message.envelope;
		return {
			...message,
			// The session of a sending API request is unique.
			session: session && ('request' in session ? session : internSession(session)),
			to: intern(message.to),
			envelope: {from: intern(from), to: internList(to.map(intern)), ...(dsn && {dsn})},
			summary: {
				...summary,
				from: intern(summary.from),
				...(summary.fromName !== undefined && {fromName: intern(summary.fromName)}),
				to: internList(summary.to),
				cc: internList(summary.cc),
				replyTo: internList(summary.replyTo),
			},
		};
	};
}

/** Creates a pool that returns the same value for equal keys. A full pool starts over, which bounds its size. */
function createPool<Key, Value>(maxSize: number): (key: Key, create: () => Value) => Value {
	const pool = new Map<Key, Value>();
	return (key, create) => {
		const pooled = pool.get(key);
		if (pooled !== undefined) {
			return pooled;
		}

		if (pool.size === maxSize) {
			pool.clear();
		}

		const value = create();
		pool.set(key, value);
		return value;
	};
}
