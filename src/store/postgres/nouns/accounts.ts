import {type Invite, type Team, withoutMember} from '../../../domain/accounts/team.js';
import {type ApiKey, endedSession, type User, type WebSession} from '../../../domain/accounts/user.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {KeyStore, RateStore, TeamStore, UserStore, WebSessionStore} from '../../port.js';
import {
	acceptInvite,
	assertEmailFree,
	assertKeyExists,
	assertTeamExists,
	checkInvite,
	checkKeyLimit,
	checkTeamLimit,
} from '../../rules/accounts.js';
import {deleteOwner, hideAllOf, hideOwner} from '../deletion.js';
import {idOf, insertion, touchRows} from '../rows.js';
import {batchedFind} from '../session/batched.js';
import {background, type Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {Row, Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

/** Users whose deletion is running have no email. `changed` is called after a change of the deliveries that are due. */
export function createUserStore(database: Database, changed: () => void): UserStore {
	return {
		create: async user => {
			const email = columnText(canonicalAddress(user.email));
			await database.inTurn(background, [email], async sql => {
				const created = await sql`${insertion(sql, 'users', [user], () => ({email}))} on conflict (email) do nothing`;
				assertEmailFree(user.email, created.count === 0);
			});
		},
		get: batchedFind(
			async ids => database.rows<User>(sql => sql`select row from users where id = any(${ids}) and email is not null`),
			idOf,
		),
		byEmail: async email =>
			database.row(sql => sql`select row from users where email = ${columnText(canonicalAddress(email))}`),
		list: async () => database.rows(sql => sql`select row from users where email is not null order by place desc`),
		update: async (id, patch) =>
			database.inTurn(id, [id], async sql => {
				const [updated] = await sql<Row<User>[]>`
					update users set row = row || ${sql.json(patch)} where id = ${id} and email is not null returning row
				`;
				return updated?.row;
			}),
		delete: async id => deleteOwner(database, {id, by: id}, async sql => hideUser(sql, id), changed),
	};
}

/** Hides a user and deletes the rows of which there are few. Resolves to false if the user does not exist. */
async function hideUser(sql: Transaction, id: string): Promise<boolean> {
	const left =
		await sql`update users set email = null, endpoints = 0, teams = 0 where id = ${id} and email is not null`;
	if (left.count === 0) {
		return false;
	}

	await sql`delete from keys where user_id = ${id}`;
	await sql`delete from web_sessions where user_id = ${id}`;
	await sql`delete from templates where user_id = ${id}`;
	await hideAllOf(sql, 'team', id);
	await hideAllOf(sql, 'endpoint', id);
	const teams = await sql<{row: Team}[]>`
		select row from teams where id in (select team_id from members where user_id = ${id}) order by id for update
	`;
	for (const {row} of teams) {
		await sql`update teams set row = row || ${sql.json(withoutMember(row, id))} where id = ${row.id}`;
	}

	await sql`delete from members where user_id = ${id}`;
	await sql`insert into owner_deletions (id, kind, user_id) values (${id}, 'user', ${id})`;
	return true;
}

export function createKeyStore(database: Database): KeyStore {
	return {
		create: async (key, limit) =>
			database.inTurn(key.userId, [key.userId], async sql => {
				await countForUser(sql, key.userId, {});
				const [keys] = await sql<{count: number}[]>`select count(*) from keys where user_id = ${key.userId}`;
				checkKeyLimit(keys?.count ?? 0, limit);
				await sql`delete from keys where id = ${key.id}`;
				await insertion(sql, 'keys', [key]);
			}),
		byHash: batchedFind(
			async hashes => database.rows<ApiKey>(sql => sql`select row from keys where hash = any(${hashes})`),
			({hash}) => hash,
		),
		list: async userId => database.rows(sql => sql`select row from keys where user_id = ${userId} order by place desc`),
		delete: async (userId, id) =>
			database.inTurn(userId, [userId], async sql => {
				const deleted = await sql`delete from keys where id = ${id} and user_id = ${userId}`;
				return deleted.count > 0;
			}),
		touch: async uses => touchRows(database, 'keys', uses),
	};
}

export function createRateStore(database: Database): RateStore {
	return {
		take: async (name, at, {count, windowMs}) =>
			database.inTurn('rates', [`rate ${name}`], async sql => {
				const now = Date.parse(at);
				const [row] = await sql<{taken: number[]}[]>`
					insert into rates (name, taken) values (${name}, '{}')
					on conflict (name) do update set taken = rates.taken
					returning taken
				`;
				const recent = (row?.taken ?? []).filter(time => time > now - windowMs);
				const blocking = recent.at(-count);
				if (blocking !== undefined) {
					return blocking + windowMs - now;
				}

				await sql`update rates set taken = ${[...recent, now]} where name = ${name}`;
				return 0;
			}),
	};
}

/** Sessions deleted per transaction, so that it stays short. */
const sessionsPerTransaction = 500;

export function createWebSessionStore(database: Database): WebSessionStore {
	return {
		create: async (session, limit) =>
			database.inTurn(session.userId, [session.userId], async sql => {
				await countForUser(sql, session.userId, {});
				await assertKey(sql, session.keyId);
				const created = await sql`${insertion(sql, 'webSessions', [session])} on conflict (id) do nothing`;
				if (created.count === 0) {
					return false;
				}

				const tooMany = await sql<Row<WebSession>[]>`
					select row from web_sessions where user_id = ${session.userId} and not is_ended
					order by place desc offset ${limit}
				`;
				for (const {row} of tooMany) {
					await end(sql, row, session.createdAt);
				}

				return true;
			}),
		byHash: batchedFind(
			async hashes =>
				database.rows<WebSession>(
					sql => sql`select row from web_sessions where hash = any(${hashes}) and not is_ended`,
				),
			({hash}) => hash,
		),
		list: async userId =>
			database.rows(
				sql => sql`select row from web_sessions where user_id = ${userId} and not is_ended order by place desc`,
			),
		endSession: async (userId, id, at) =>
			database.inTurn(userId, [userId], async sql => {
				const [found] = await sql<Row<WebSession>[]>`
					select row from web_sessions where id = ${id} and user_id = ${userId} and not is_ended for update
				`;
				return found !== undefined && end(sql, found.row, at);
			}),
		touch: async uses => touchRows(database, 'web_sessions', uses),
		deleteExpired: async now =>
			database.rows(
				sql => sql`
					delete from web_sessions where id in (
						select id from web_sessions where expires_at <= ${now} order by expires_at
						limit ${sessionsPerTransaction} for update skip locked
					)
					returning row
				`,
			),
		nextExpiry: async () => database.time(sql => sql`select min(expires_at) as at from web_sessions`),
	};
}

async function assertKey(sql: Transaction, keyId: string | null): Promise<void> {
	if (keyId !== null) {
		const [key] = await sql`select from keys where id = ${keyId} for key share`;
		assertKeyExists(key);
	}
}

async function end(sql: Transaction, session: WebSession, at: string): Promise<true> {
	const ended = endedSession(session, at);
	await sql`
		update web_sessions set is_ended = true, expires_at = ${ended.expiresAt}, row = row || ${sql.json(ended)}
		where id = ${session.id}
	`;
	return true;
}

export function createTeamStore(database: Database): TeamStore {
	return {
		create: async (team, limit, check) =>
			database.inTurn(team.ownerId, [team.ownerId], async sql => {
				const {teams} = await countForUser(sql, team.ownerId, {teams: 1}, check);
				checkTeamLimit(teams - 1, limit);
				await insertion(sql, 'teams', [team]);
				const userIds = team.members.map(({userId}) => userId);
				await sql`insert into members (team_id, user_id) select ${team.id}, unnest(${userIds}::text[])`;
			}),
		get: batchedFind(async ids => database.rows<Team>(sql => sql`select row from teams where id = any(${ids})`), idOf),
		listOf: async userId =>
			database.rows(
				sql => sql`
					select row from teams where id in (select team_id from members where user_id = ${userId})
					order by row ->> 'createdAt' collate "C" desc, id desc
				`,
			),
		rename: async (id, name, by = background) =>
			database.inTurn(by, [id], async sql => {
				const [renamed] = await sql<Row<Team>[]>`
					update teams set row = row || ${sql.json({name})} where id = ${id} returning row
				`;
				return renamed?.row;
			}),
		delete: async (id, by) => deleteOwner(database, {id, by}, async sql => hideOwner(sql, 'team', id)),
		removeMember: async (teamId, userId, by = background) =>
			database.inTurn(by, [teamId], async sql => {
				const team = await takeTeam(sql, teamId);
				if (!team?.members.some(member => member.userId === userId)) {
					return false;
				}

				await sql`update teams set row = row || ${sql.json(withoutMember(team, userId))} where id = ${teamId}`;
				await sql`delete from members where team_id = ${teamId} and user_id = ${userId}`;
				return true;
			}),
		invite: async (invite, limit, by = background) =>
			database.inTurn(by, [invite.teamId], async sql => {
				await checkNewInvite(sql, invite, limit);
				await sql`delete from invites where team_id = ${invite.teamId} and expires_at <= ${invite.createdAt}`;
				await insertion(sql, 'invites', [invite], () => ({email: columnText(canonicalAddress(invite.email))}));
			}),
		inviteByHash: async tokenHash => database.row(sql => sql`select row from invites where token_hash = ${tokenHash}`),
		accept: async (tokenHash, {userId, joinedAt}) =>
			// The second key makes concurrent uses of one invite wait for each other.
			database.inTurn(userId, [userId, tokenHash], async sql => {
				await countForUser(sql, userId, {});
				const [found] = await sql<Row<Invite>[]>`select row from invites where token_hash = ${tokenHash}`;
				const team = found && (await takeTeam(sql, found.row.teamId));
				// Read again, now that the lock of the team prevents changes.
				const [taken] = await sql<Row<Invite>[]>`select row from invites where token_hash = ${tokenHash} for update`;
				const accepted = acceptInvite(taken?.row, team, {userId, joinedAt});
				const {id} = accepted.team;
				await sql`update teams set row = ${sql.json(accepted.team)} where id = ${id}`;
				await sql`insert into members (team_id, user_id) values (${id}, ${userId})`;
				await sql`
					update invites set accepted_at = ${joinedAt}, row = ${sql.json(accepted.invite)} where id = ${accepted.invite.id}
				`;
				return accepted.team;
			}),
	};
}

/** Reads and locks a team. */
async function takeTeam(sql: Transaction, id: string): Promise<Team | undefined> {
	const [found] = await sql<Row<Team>[]>`select row from teams where id = ${id} for update`;
	return found?.row;
}

async function checkNewInvite(sql: Transaction, invite: Invite, limit: number): Promise<void> {
	const team = await takeTeam(sql, invite.teamId);
	assertTeamExists(team);
	const email = columnText(canonicalAddress(invite.email));
	const open = await sql<{email: string}[]>`
		select email from invites
		where team_id = ${team.id} and accepted_at is null and expires_at > ${invite.createdAt}
	`;
	const [invited] = await sql<{id: string}[]>`select id from users where email = ${email}`;
	checkInvite(invite, {
		team,
		limit,
		openInvites: open.length,
		hasOpenInvite: open.some(other => other.email === email),
		invitedUserId: invited?.id,
	});
}
