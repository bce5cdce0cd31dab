import type {InvitedRole, Role} from '../../contract/constants.js';
import {AppError} from '../errors.js';

export type Member = {readonly userId: string; readonly role: Role; readonly joinedAt: string};

export type Team = {
	readonly id: string;
	readonly name: string;
	readonly ownerId: string;
	/** In the order of joining; the owner is one of them. */
	readonly members: readonly Member[];
	/** How often somebody left, so that the credentials of its inboxes are others by now; absent is 0. */
	readonly generation?: number;
	readonly createdAt: string;
};

export type Invite = {
	readonly id: string;
	readonly teamId: string;
	/** SHA-256 of the token in hex; the token is shown once, to whoever invited. */
	readonly tokenHash: string;
	/** The invited address, compared without case. */
	readonly email: string;
	readonly role: InvitedRole;
	readonly createdAt: string;
	readonly expiresAt: string;
	/** When somebody joined with it, which works once; null until then. */
	readonly acceptedAt: string | null;
};

export const inviteLifetimeMs = 7 * 24 * 3_600_000;

/** What can be done to a team; the words are those of the sentence that refuses it. */
export type TeamAction = 'see the team' | 'rename the team' | 'delete the team' | 'invite people' | 'remove members';

const permitted: Readonly<Record<Role, readonly TeamAction[]>> = {
	owner: ['see the team', 'rename the team', 'delete the team', 'invite people', 'remove members'],
	admin: ['see the team', 'invite people', 'remove members'],
	member: ['see the team'],
};

/** The team without somebody who leaves it. */
export function withoutMember(team: Team, userId: string): Pick<Team, 'members' | 'generation'> {
	return {members: team.members.filter(member => member.userId !== userId), generation: (team.generation ?? 0) + 1};
}

/** The user's role in the team; undefined for an outsider. */
export function roleIn(team: Team, userId: string): Role | undefined {
	return team.members.find(member => member.userId === userId)?.role;
}

/** Throws `forbidden` unless the user's role permits the action. */
export function assertMay(userId: string, action: TeamAction, team: Team): void {
	const role = roleIn(team, userId);
	if (role === undefined) {
		throw new AppError('forbidden', 'You are not a member of this team. Ask the team owner for an invite.');
	}

	if (!permitted[role].includes(action)) {
		throw new AppError(
			'forbidden',
			`Your role in this team, "${role}", does not allow you to ${action}. Ask the team owner.`,
		);
	}
}
