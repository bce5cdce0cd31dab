import {type Invite, withoutMember} from '../../../domain/accounts/team.js';
import {AppError} from '../../../domain/errors.js';
import {canonicalAddress} from '../../../domain/mail/address.js';
import type {TeamStore} from '../../store.js';
import type {Change} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertUser, byAge, rowsOf} from './rows.js';

export function createTeamStore(state: State, writer: Writer): TeamStore {
	const {teams} = state.tables;
	const ownerOf = (id: string) => teams.get(id)?.ownerId ?? '';
	const teamsOf = (userId: string) => rowsOf(teams, state.teamsOfMember.newestFirst(userId));
	return {
		create: async (team, limit) =>
			writer.exclusive(team.ownerId, async () => {
				assertUser(state, team.ownerId);
				const owned = teamsOf(team.ownerId).filter(({ownerId}) => ownerId === team.ownerId);
				if (owned.length >= limit) {
					throw new AppError('plan_limit', `The user owns ${limit} teams, the maximum. Delete one first.`);
				}

				await writer.commit([['put', 'teams', team]]);
			}),
		get: async id => teams.get(id),
		listOf: async userId => teamsOf(userId).sort(byAge),
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
				checkInvite(state, invite, limit);
				await writer.commit([...expiredInvites(state, invite), ['put', 'invites', invite]]);
			}),
		inviteByHash: async tokenHash => state.inviteOfHash.get(tokenHash),
		accept: async (tokenHash, {userId, joinedAt}) =>
			writer.exclusive(userId, async () => {
				assertUser(state, userId);
				const invite = state.inviteOfHash.get(tokenHash);
				const team = teams.get(invite?.teamId ?? '');
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
				await writer.commit([
					['put', 'teams', joined],
					['patch', 'invites', invite.id, {acceptedAt: joinedAt}],
				]);
				return joined;
			}),
	};
}

function checkInvite(state: State, invite: Invite, limit: number): void {
	const team = state.tables.teams.get(invite.teamId);
	if (team === undefined) {
		throw new AppError('not_found', 'The team was deleted.');
	}

	const open = rowsOf(state.tables.invites, state.invitesOfTeam.newestFirst(team.id)).filter(
		({acceptedAt, expiresAt}) => acceptedAt === null && expiresAt > invite.createdAt,
	);
	if (team.members.length + open.length >= limit) {
		throw new AppError('plan_limit', `The team has ${limit} members and open invites, the maximum.`);
	}

	const email = canonicalAddress(invite.email);
	const invited = state.userOfEmail.get(email);
	if (team.members.some(({userId}) => userId === invited?.id)) {
		throw new AppError('already_member', `${invite.email} is already a member of the team.`);
	}

	if (open.some(other => canonicalAddress(other.email) === email)) {
		throw new AppError('invite_open', `There is already an open invite for ${invite.email}.`);
	}
}

/** Takes the team's invites away that have expired by the time of the new one: nobody can use them any more. */
function expiredInvites(state: State, {teamId, createdAt}: Invite): Change {
	return rowsOf(state.tables.invites, state.invitesOfTeam.newestFirst(teamId))
		.filter(({expiresAt}) => expiresAt <= createdAt)
		.map(({id}) => ['delete', 'invites', id]);
}
