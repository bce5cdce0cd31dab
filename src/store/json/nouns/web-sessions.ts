import {endedSession, type WebSession} from '../../../domain/accounts/user.js';
import {AppError} from '../../../domain/errors.js';
import type {WebSessionStore} from '../../web-session-store.js';
import type {Patch} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertUser, rowsOf} from './rows.js';

/** Sessions that one commit deletes, so that it is short. */
const perCommit = 500;

export function createWebSessionStore(state: State, writer: Writer): WebSessionStore {
	const {webSessions} = state.tables;
	const listOf = (userId: string) =>
		rowsOf(webSessions, state.keys.sessionsOfUser.newestFirst(userId)).filter(({isEnded}) => !isEnded);
	const end = (session: WebSession, at: string): Patch => [
		'patch',
		'webSessions',
		session.id,
		endedSession(session, at),
	];
	return {
		create: async (session, limit) =>
			writer.exclusive(session.userId, async () => {
				assertUser(state, session.userId);
				if (session.keyId !== null && !state.tables.keys.has(session.keyId)) {
					throw new AppError('not_found', 'The API key was revoked.');
				}

				if (webSessions.has(session.id)) {
					return false;
				}

				const tooMany = listOf(session.userId).slice(limit - 1);
				await writer.commit([...tooMany.map(old => end(old, session.createdAt)), ['put', 'webSessions', session]]);
				return true;
			}),
		byHash: async hash => {
			const session = state.keys.sessionOfHash.get(hash);
			return session?.isEnded ? undefined : session;
		},
		list: async userId => listOf(userId),
		end: async (userId, id, at) =>
			writer.exclusive(userId, async () => {
				const session = webSessions.get(id);
				return session?.userId === userId && !session.isEnded && writer.commit([end(session, at)]);
			}),
		touch: async uses => {
			await writer.commit([...uses].map(([id, lastUsedAt]) => ['patch', 'webSessions', id, {lastUsedAt}]));
		},
		deleteExpired: async now => {
			const gone: WebSession[] = [];
			for (const id of state.keys.sessionsByExpiry.until(now)) {
				const session = webSessions.get(id);
				if (session && gone.push(session) === perCommit) {
					break;
				}
			}

			await writer.commit(gone.map(({id}) => ['delete', 'webSessions', id]));
			return gone;
		},
		nextExpiry: async () => state.keys.sessionsByExpiry.next(),
	};
}
