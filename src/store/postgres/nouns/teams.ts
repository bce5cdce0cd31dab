import {type Invite, type Team, withoutMember} from '../../../domain/accounts/team.js';
import {AppError} from '../../../domain/errors.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {TeamStore} from '../../port.js';
import {deleteOwner, hideOwner} from '../deletion.js';
import {batched} from '../session/batched.js';
import type {Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

type TeamRow = {readonly row: Team};
type InviteRow = {readonly row: Invite};

export function postgresTeams(database: Database): TeamStore {
	const get = batched<string, Team | undefined>(async ids => {
		const rows = await database.run(sql => sql<TeamRow[]>`select row from teams where id = any(${ids})`);
		const teamOf = new Map(rows.map(({row}) => [row.id, row]));
		return ids.map(id => teamOf.get(id));
	});
	return {
		create: async (team, limit, check) =>
			database.inTurn([team.ownerId], async sql => {
				const {teams} = await countForUser(sql, team.ownerId, {teams: 1}, check);
				if (teams > limit) {
					throw new AppError('plan_limit', `The user owns ${limit} teams, the maximum. Delete one first.`);
				}

				await sql`insert into teams (id, owner_id, row) values (${team.id}, ${team.ownerId}, ${sql.json(team)})`;
				const userIds = team.members.map(({userId}) => userId);
				await sql`insert into members (team_id, user_id) select ${team.id}, unnest(${userIds}::text[])`;
			}),
		get,
		listOf: async userId => {
			const rows = await database.run(
				sql => sql<TeamRow[]>`
					select row from teams where id in (select team_id from members where user_id = ${userId})
					order by row ->> 'createdAt' collate "C" desc, id desc
				`,
			);
			return rows.map(({row}) => row);
		},
		rename: async (id, name) =>
			database.inTurn([id], async sql => {
				const [renamed] = await sql<TeamRow[]>`
					update teams set row = row || ${sql.json({name})} where id = ${id} returning row
				`;
				return renamed?.row;
			}),
		delete: async id => deleteOwner(database, id, async sql => hideOwner(sql, 'team', id)),
		removeMember: async (teamId, userId) =>
			database.inTurn([teamId], async sql => {
				const team = await takeTeam(sql, teamId);
				if (!team?.members.some(member => member.userId === userId)) {
					return false;
				}

				await sql`update teams set row = row || ${sql.json(withoutMember(team, userId))} where id = ${teamId}`;
				await sql`delete from members where team_id = ${teamId} and user_id = ${userId}`;
				return true;
			}),
		invite: async (invite, limit) =>
			database.inTurn([invite.teamId], async sql => {
				const {id, teamId, tokenHash, createdAt, expiresAt, acceptedAt} = invite;
				await checkInvite(sql, invite, limit);
				await sql`delete from invites where team_id = ${teamId} and expires_at <= ${createdAt}`;
				await sql`
					insert into invites (id, team_id, token_hash, email, expires_at, accepted_at, row)
					values (
						${id}, ${teamId}, ${tokenHash}, ${columnText(canonicalAddress(invite.email))}, ${expiresAt}, ${acceptedAt},
						${sql.json(invite)}
					)
				`;
			}),
		inviteByHash: async tokenHash => {
			const [found] = await database.run(
				sql => sql<InviteRow[]>`select row from invites where token_hash = ${tokenHash}`,
			);
			return found?.row;
		},
		accept: async (tokenHash, {userId, joinedAt}) =>
			// The second key for those who take the same invite at once: the first of them gets it.
			database.inTurn([userId, tokenHash], async sql => {
				await countForUser(sql, userId, {});
				const [found] = await sql<InviteRow[]>`select row from invites where token_hash = ${tokenHash}`;
				const team = found && (await takeTeam(sql, found.row.teamId));
				// Again, as it is now that nobody else changes anything of the team.
				const [taken] = await sql<InviteRow[]>`select row from invites where token_hash = ${tokenHash} for update`;
				const invite = taken?.row;
				if (invite === undefined || team === undefined || invite.expiresAt <= joinedAt) {
					throw new AppError('invalid_invite', 'The invite does not exist or has expired. Ask for a new one.');
				}

				if (team.members.some(member => member.userId === userId)) {
					throw new AppError('already_member', `The user is already a member of the team ${team.name}.`);
				}

				if (invite.acceptedAt !== null) {
					throw new AppError('invalid_invite', 'The invite was already used. Ask for a new one.');
				}

				const joined = {...team, members: [...team.members, {userId, role: invite.role, joinedAt}]};
				await sql`update teams set row = ${sql.json(joined)} where id = ${team.id}`;
				await sql`insert into members (team_id, user_id) values (${team.id}, ${userId})`;
				await sql`
					update invites set accepted_at = ${joinedAt}, row = row || ${sql.json({acceptedAt: joinedAt})}
					where id = ${invite.id}
				`;
				return joined;
			}),
	};
}

/** The team, which nobody else changes until the transaction ends. */
async function takeTeam(sql: Transaction, id: string): Promise<Team | undefined> {
	const [found] = await sql<TeamRow[]>`select row from teams where id = ${id} for update`;
	return found?.row;
}

async function checkInvite(sql: Transaction, invite: Invite, limit: number): Promise<void> {
	const team = await takeTeam(sql, invite.teamId);
	if (team === undefined) {
		throw new AppError('not_found', 'The team was deleted.');
	}

	const email = columnText(canonicalAddress(invite.email));
	const open = await sql<{email: string}[]>`
		select email from invites
		where team_id = ${team.id} and accepted_at is null and expires_at > ${invite.createdAt}
	`;
	if (team.members.length + open.length >= limit) {
		throw new AppError('plan_limit', `The team has ${limit} members and open invites, the maximum.`);
	}

	const [invited] = await sql<{id: string}[]>`select id from users where email = ${email}`;
	if (team.members.some(({userId}) => userId === invited?.id)) {
		throw new AppError('already_member', `${invite.email} is already a member of the team.`);
	}

	if (open.some(other => other.email === email)) {
		throw new AppError('invite_open', `There is already an open invite for ${invite.email}.`);
	}
}
