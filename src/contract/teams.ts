import {z} from 'zod';
import {type Body, emailField, type Input, nameField, requestObject, responseObject, timeField} from './common.js';
import {invitedRoles, roles} from './constants.js';

/** Team to create, or new name of a team. */
export const createTeamSchema = requestObject('CreateTeam', {
	name: nameField.describe('Name of the team, 1 to 100 characters.'),
});

export type CreateTeam = Input<typeof createTeamSchema>;

/** Invite to create. */
export const createInviteSchema = requestObject('CreateInvite', {
	email: emailField.describe('Email address of the user to invite.'),
	role: z.enum(invitedRoles).default('member').describe('Role in the team (default `member`).'),
});

export type CreateInvite = Input<typeof createInviteSchema>;

/** Invite to accept. */
export const acceptInviteSchema = requestObject('AcceptInvite', {
	token: z.string().min(1).max(200).describe('Token of the invite.'),
});

export type AcceptInvite = Input<typeof acceptInviteSchema>;

/** Member of a team. */
const memberSchema = responseObject('Member', {
	user_id: z.string().describe('Id of the user.'),
	user_name: z.string().describe('Name of the user.'),
	user_email: z.string().describe('Email address of the user.'),
	role: z.enum(roles).describe('Role in the team.'),
	joined_at: timeField.describe('Time when the user joined the team.'),
});

export type MemberBody = Body<typeof memberSchema>;

/** Team with its members. */
export const teamSchema = responseObject('Team', {
	id: z.string().describe('Id of the team.'),
	name: z.string().describe('Name of the team.'),
	owner_id: z.string().describe('Id of the user who owns the team.'),
	members: z.array(memberSchema).describe('Members of the team, including the owner.'),
	created_at: timeField.describe('Time when the team was created.'),
});

export type TeamBody = Body<typeof teamSchema>;

export const teamListSchema = z.array(teamSchema);

/** Open invite to a team. */
export const inviteSchema = responseObject('Invite', {
	id: z.string().describe('Id of the invite.'),
	token: z.string().describe('Token that the invited user accepts the invite with.'),
	email: z.string().describe('Email address of the invited user.'),
	role: z.enum(invitedRoles).describe('Role that the invited user gets.'),
	expiresAt: timeField.describe('Time when the invite expires. This is the only field in camelCase.'),
});

export type InviteBody = Body<typeof inviteSchema>;
