import {AppError} from './errors.js';
import type {Role, Team} from './team.js';

/** What can be done to a team; the words are those of the sentence that refuses it. */
export type TeamAction = 'see the team' | 'rename the team' | 'delete the team' | 'invite people' | 'remove members';

const permitted: Readonly<Record<Role, readonly TeamAction[]>> = {
	owner: ['see the team', 'rename the team', 'delete the team', 'invite people', 'remove members'],
	admin: ['see the team', 'invite people', 'remove members'],
	member: ['see the team'],
};

/** The user's role in the team; undefined for an outsider. */
export function roleIn(team: Team, userId: string): Role | undefined {
	return team.members.find(member => member.userId === userId)?.role;
}

/** Throws `forbidden` unless the user's role permits the action. */
export function assertMay(userId: string, action: TeamAction, team: Team): void {
	const role = roleIn(team, userId);
	if (role === undefined) {
		throw new AppError('forbidden', 'You are not a member of this team. Ask its owner for an invite.');
	}

	if (!permitted[role].includes(action)) {
		throw new AppError('forbidden', `Your role in this team is "${role}", which may not ${action}. Ask its owner.`);
	}
}
