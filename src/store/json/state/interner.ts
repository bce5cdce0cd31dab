import type {Mailbox, Message, Session, Summary} from '../../../domain/mail/message.js';

const maxAddresses = 10_000;
const maxSessions = 1000;
const none: readonly string[] = [];

/** As versions before sessions wrote them, too. */
type Stored = Omit<Message, 'session'> & {readonly session?: Session | null};

/**
 * Makes the same message in less memory: there may be very many, and most of what they say they say alike. Equal addresses
 * get one copy, and so do lists of one address, and sessions. Version 0.1 wrote some messages without a summary, which is
 * null until they are completed, and summaries without `to`; and messages without a session.
 */
export function createInterner(): (message: Stored) => Message {
	const alones = createPool<string, readonly [string]>(maxAddresses);
	const sessions = createPool<string, Session>(maxSessions);
	// Mails that come in one connection have the same object, which needs no text to be known again.
	const sameSessions = createPool<Session, Session>(maxSessions);
	const sharedSession = (session: Session) =>
		sameSessions(session, () => sessions(JSON.stringify(session), () => session));
	const alone = (address: string) => alones(address, () => [address]);
	const shared = (address: string): string => alone(address)[0];
	const sharedList = <M extends Mailbox>(list: readonly M[]): ReadonlyArray<M | string> => {
		const [first] = list;
		return list.length === 0 ? none : list.length === 1 && typeof first === 'string' ? alone(first) : list;
	};
	return given => {
		// What came last, `to` or `session`, would give each row a hidden class of its own, and cost 300 bytes a message.
		const message = given.session === undefined ? {session: null, ...given} : given;
		const {session = null} = message;
		const {from, to, dsn} = message.envelope;
		const summary = message.summary && withTo(message.summary);
		return {
			...message,
			// One that a request brought is like no other.
			session: session && ('request' in session ? session : sharedSession(session)),
			to: shared(message.to),
			envelope: {from: shared(from), to: sharedList(to.map(shared)), ...(dsn && {dsn})},
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

/** Gives each of so many keys one value, however often one is made for it. */
function createPool<Key, Value>(max: number): (key: Key, make: () => Value) => Value {
	const pool = new Map<Key, Value>();
	return (key, make) => {
		const first = pool.get(key);
		if (first !== undefined) {
			return first;
		}

		if (pool.size === max) {
			pool.clear();
		}

		const value = make();
		pool.set(key, value);
		return value;
	};
}

function withTo(summary: Omit<Summary, 'to'> & {readonly to?: Summary['to']}): Summary {
	return {to: none, ...summary};
}
