import {withoutMember} from '../../../domain/accounts/team.js';
import {endedSession, type WebSession} from '../../../domain/accounts/user.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {KeyStore, RateStore, TeamStore, UserStore, WebSessionStore} from '../../port.js';
import {
	acceptInvite,
	assertEmailFree,
	assertKeyExists,
	assertTeamExists,
	assertUserExists,
	checkInvite,
	checkKeyLimit,
	checkTeamLimit,
} from '../../rules/accounts.js';
import type {Change, Patch} from '../state/change.js';
import type {State} from '../state/state.js';
import {rowsOf, slice} from '../state/table.js';
import type {Writer} from '../writer.js';

/** Maximum number of sessions that one commit deletes. */
const sessionsPerCommit = 500;

/** Users in the JSON store. */
export function createUserStore(state: State, writer: Writer): UserStore {
	const {users} = state.tables;
	return {
		create: async user =>
			writer.exclusive('new users', async () => {
				assertEmailFree(user.email, state.userOfEmail.get(canonicalAddress(user.email)) !== undefined);
				await writer.commit([['put', 'users', user]]);
			}),
		get: async id => users.get(id),
		byEmail: async email => state.userOfEmail.get(canonicalAddress(email)),
		list: async () => [...users.values()].reverse(),
		update: async (id, patch) =>
			writer.exclusive(id, async () => {
				await writer.commit([['patch', 'users', id, patch]]);
				return users.get(id);
			}),
		delete: async id => writer.delete(id, () => (users.has(id) ? [['delete', 'users', id]] : [])),
	};
}

/** Teams and invites in the JSON store. */
export function createTeamStore(state: State, writer: Writer): TeamStore {
	const {teams, invites, users} = state.tables;
	const ownerOf = (id: string) => teams.get(id)?.ownerId ?? '';
	const teamsOf = (userId: string) => rowsOf(teams, state.teamsOfMember.newestFirst(userId));
	const invitesOf = (teamId: string) => rowsOf(invites, state.invitesOfTeam.newestFirst(teamId));
	return {
		create: async (team, limit) =>
			writer.exclusive(team.ownerId, async () => {
				assertUserExists(users.get(team.ownerId));
				checkTeamLimit(teamsOf(team.ownerId).filter(({ownerId}) => ownerId === team.ownerId).length, limit);
				await writer.commit([['put', 'teams', team]]);
			}),
		get: async id => teams.get(id),
		listOf: async userId => teamsOf(userId).sort(newestFirst),
		rename: async (id, name) =>
			writer.exclusive(ownerOf(id), async () => {
				await writer.commit([['patch', 'teams', id, {name}]]);
				return teams.get(id);
			}),
		delete: async id => writer.delete(ownerOf(id), () => (teams.has(id) ? [['delete', 'teams', id]] : [])),
		removeMember: async (teamId, userId) =>
			writer.exclusive(ownerOf(teamId), async () => {
				const team = teams.get(teamId);
				return (
					team?.members.some(member => member.userId === userId) === true &&
					writer.commit([['patch', 'teams', teamId, withoutMember(team, userId)]])
				);
			}),
		invite: async (invite, limit) =>
			writer.exclusive(ownerOf(invite.teamId), async () => {
				const team = teams.get(invite.teamId);
				assertTeamExists(team);
				const email = canonicalAddress(invite.email);
				const expired = invitesOf(team.id).filter(({expiresAt}) => expiresAt <= invite.createdAt);
				const open = invitesOf(team.id).filter(other => other.acceptedAt === null && !expired.includes(other));
				checkInvite(invite, {
					team,
					limit,
					openInvites: open.length,
					hasOpenInvite: open.some(other => canonicalAddress(other.email) === email),
					invitedUserId: state.userOfEmail.get(email)?.id,
				});
				const deletes: Change = expired.map(({id}) => ['delete', 'invites', id]);
				await writer.commit([...deletes, ['put', 'invites', invite]]);
			}),
		inviteByHash: async tokenHash => state.inviteOfHash.get(tokenHash),
		accept: async (tokenHash, member) =>
			writer.exclusive(member.userId, async () => {
				assertUserExists(users.get(member.userId));
				const found = state.inviteOfHash.get(tokenHash);
				const {invite, team} = acceptInvite(found, teams.get(found?.teamId ?? ''), member);
				await writer.commit([
					['put', 'teams', team],
					['patch', 'invites', invite.id, {acceptedAt: invite.acceptedAt}],
				]);
				return team;
			}),
	};
}

/** API keys in the JSON store. */
export function createKeyStore(state: State, writer: Writer): KeyStore {
	const {keys, users} = state.tables;
	return {
		create: async (key, limit) =>
			writer.exclusive(key.userId, async () => {
				assertUserExists(users.get(key.userId));
				checkKeyLimit(state.keys.ofUser.sizeOf(key.userId), limit);
				// A delete, since a put would keep the web sessions of the replaced key.
				const replaced: Change = keys.has(key.id) ? [['delete', 'keys', key.id]] : [];
				await writer.commit([...replaced, ['put', 'keys', key]]);
			}),
		byHash: async hash => state.keys.ofHash.get(hash),
		list: async userId => rowsOf(keys, state.keys.ofUser.newestFirst(userId)),
		delete: async (userId, id) =>
			writer.exclusive(userId, async () => keys.get(id)?.userId === userId && writer.commit([['delete', 'keys', id]])),
		touch: async uses => {
			await writer.commit([...uses].map(([id, lastUsedAt]) => ['patch', 'keys', id, {lastUsedAt}]));
		},
	};
}

/** Web sessions in the JSON store. */
export function createWebSessionStore(state: State, writer: Writer): WebSessionStore {
	const {webSessions, keys, users} = state.tables;
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
				assertUserExists(users.get(session.userId));
				if (session.keyId !== null) {
					assertKeyExists(keys.get(session.keyId));
				}

				if (webSessions.has(session.id)) {
					return false;
				}

				const excess = listOf(session.userId).slice(limit - 1);
				await writer.commit([...excess.map(old => end(old, session.createdAt)), ['put', 'webSessions', session]]);
				return true;
			}),
		byHash: async hash => {
			const session = state.keys.sessionOfHash.get(hash);
			return session?.isEnded ? undefined : session;
		},
		list: async userId => listOf(userId),
		endSession: async (userId, id, at) =>
			writer.exclusive(userId, async () => {
				const session = webSessions.get(id);
				return session?.userId === userId && !session.isEnded && writer.commit([end(session, at)]);
			}),
		touch: async uses => {
			await writer.commit([...uses].map(([id, lastUsedAt]) => ['patch', 'webSessions', id, {lastUsedAt}]));
		},
		deleteExpired: async now => {
			const ids = slice(state.keys.sessionsByExpiry.until(now), 0, sessionsPerCommit);
			const expired = rowsOf(webSessions, ids);
			await writer.commit(expired.map(({id}) => ['delete', 'webSessions', id]));
			return expired;
		},
		nextExpiry: async () => state.keys.sessionsByExpiry.next(),
	};
}

/** Durable rate windows in the JSON store. */
export function createRateStore(state: State, writer: Writer): RateStore {
	return {
		take: async (name, at, {count, windowMs}) =>
			writer.exclusive(name, async () => {
				const now = Date.parse(at);
				const taken = state.tables.rates.get(name)?.takenAt ?? [];
				const recent = taken.filter(time => Date.parse(time) > now - windowMs);
				const blocking = recent.at(-count);
				if (blocking !== undefined) {
					return Date.parse(blocking) + windowMs - now;
				}

				await writer.commit([['put', 'rates', {id: name, takenAt: [...recent, at]}]]);
				return 0;
			}),
	};
}

type Created = {readonly id: string; readonly createdAt: string};

/** Compares rows by descending creation time, then by descending id. */
function newestFirst(a: Created, b: Created): number {
	if (a.createdAt === b.createdAt) {
		return a.id < b.id ? 1 : -1;
	}

	return a.createdAt < b.createdAt ? 1 : -1;
}
