import type {InvitedRole, Role} from '../../contract/constants.js';
import {AppError} from '../errors.js';

export type Member = {readonly userId: string; readonly role: Role; readonly joinedAt: string};

export type Team = {
	readonly id: string;
	readonly name: string;
	readonly ownerId: string;
	/** Members in the order of joining, including the owner. */
	readonly members: readonly Member[];
	/** Number of members who left, each of which changes the credentials of the inboxes of the team. */
	readonly generation: number;
	readonly createdAt: string;
};

export type Invite = {
	readonly id: string;
	readonly teamId: string;
	/** SHA-256 hash of the token in hex. The token itself is shown only once. */
	readonly tokenHash: string;
	/** Invited email address, compared without case. */
	readonly email: string;
	readonly role: InvitedRole;
	readonly createdAt: string;
	readonly expiresAt: string;
	/** Time of acceptance, which works once; null before. */
	readonly acceptedAt: string | null;
};

export const inviteLifetimeMs = 7 * 24 * 3_600_000;

/** Actions on a team, in the words of the error message. */
export type TeamAction = 'see the team' | 'rename the team' | 'delete the team' | 'invite people' | 'remove members';

const permissions: Readonly<Record<Role, readonly TeamAction[]>> = {
	owner: ['see the team', 'rename the team', 'delete the team', 'invite people', 'remove members'],
	admin: ['see the team', 'invite people', 'remove members'],
	member: ['see the team'],
};

/** Returns the changed fields of a team after a member left. */
export function withoutMember(team: Team, userId: string): Pick<Team, 'members' | 'generation'> {
	return {members: team.members.filter(member => member.userId !== userId), generation: team.generation + 1};
}

/** Returns the role of a user in a team; undefined for non-members. */
export function roleIn(team: Team, userId: string): Role | undefined {
	return team.members.find(member => member.userId === userId)?.role;
}

/** Throws `forbidden` unless the user's role permits the action. */
export function assertMay(userId: string, action: TeamAction, team: Team): void {
	const role = roleIn(team, userId);
	if (role === undefined) {
		throw new AppError('forbidden', 'You are not a member of this team. Ask the team owner for an invite.');
	}

	if (!permissions[role].includes(action)) {
		throw new AppError(
			'forbidden',
			`Your role in this team, "${role}", does not allow you to ${action}. Ask the team owner.`,
		);
	}
}
