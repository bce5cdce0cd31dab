import type {Invite, Member, Team} from '../../domain/accounts/team.js';
import {AppError} from '../../domain/errors.js';

/** Throws `not_found` unless the user exists: rows of a deleted user would never be removed. */
export function assertUserExists(user: unknown): asserts user {
	if (!user) {
		throw new AppError('not_found', 'The user was deleted.');
	}
}

/** Throws `not_found` unless the API key exists. */
export function assertKeyExists(key: unknown): asserts key {
	if (!key) {
		throw new AppError('not_found', 'The API key was revoked.');
	}
}

/** Throws `not_found` unless the team exists. */
export function assertTeamExists(team: unknown): asserts team {
	if (!team) {
		throw new AppError('not_found', 'The team was deleted.');
	}
}

/** Throws `email_taken` if another user has the address. */
export function assertEmailFree(email: string, isTaken: boolean): void {
	if (isTaken) {
		throw new AppError('email_taken', `The email ${email} is already taken. Choose another one.`);
	}
}

/** Throws `plan_limit` if a user with `count` API keys cannot create another one. */
export function checkKeyLimit(count: number, limit: number): void {
	if (count >= limit) {
		throw new AppError('plan_limit', `The user has ${limit} API keys, the maximum. Revoke one first.`);
	}
}

/** Throws `plan_limit` if a user who owns `count` teams cannot create another one. */
export function checkTeamLimit(count: number, limit: number): void {
	if (count >= limit) {
		throw new AppError('plan_limit', `The user owns ${limit} teams, the maximum. Delete one first.`);
	}
}

/** Data about the team and the address of a new invite. */
export type InviteFacts = {
	readonly team: Team;
	/** Maximum number of members and open invites together. */
	readonly limit: number;
	/** Number of invites that are neither used nor expired. */
	readonly openInvites: number;
	/** True if one of them is for the same canonical address. */
	readonly hasOpenInvite: boolean;
	/** Id of the user with that address. */
	readonly invitedUserId: string | undefined;
};

/** Throws, in this order, `plan_limit`, `already_member` or `invite_open` if the invite must not be created. */
export function checkInvite({email}: Pick<Invite, 'email'>, facts: InviteFacts): void {
	const {team, limit, openInvites, hasOpenInvite, invitedUserId} = facts;
	if (team.members.length + openInvites >= limit) {
		throw new AppError('plan_limit', `The team has ${limit} members and open invites, the maximum.`);
	}

	if (team.members.some(({userId}) => userId === invitedUserId)) {
		throw new AppError('already_member', `${email} is already a member of the team.`);
	}

	if (hasOpenInvite) {
		throw new AppError('invite_open', `There is already an open invite for ${email}.`);
	}
}

/**
 * Returns the invite's team with its new member. Throws, in this order, `invalid_invite` if the invite or the team does not
 * exist or the invite has expired, `already_member`, and `invalid_invite` if the invite was used.
 */
export function acceptInvite(
	invite: Invite | undefined,
	team: Team | undefined,
	{userId, joinedAt}: Pick<Member, 'userId' | 'joinedAt'>,
): {readonly invite: Invite; readonly team: Team} {
	if (invite === undefined || team === undefined || invite.expiresAt <= joinedAt) {
		throw new AppError('invalid_invite', 'The invite does not exist or has expired. Ask for a new one.');
	}

	if (team.members.some(member => member.userId === userId)) {
		throw new AppError('already_member', `The user is already a member of the team ${team.name}.`);
	}

	if (invite.acceptedAt !== null) {
		throw new AppError('invalid_invite', 'The invite was already used. Ask for a new one.');
	}

	return {
		invite: {...invite, acceptedAt: joinedAt},
		team: {...team, members: [...team.members, {userId, role: invite.role, joinedAt}]},
	};
}
