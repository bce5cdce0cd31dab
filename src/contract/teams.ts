import {z} from 'zod';
import {type Body, emailField, type Input, nameField, timeField} from './common.js';
import {invitedRoles, roles} from './constants.js';

/** Team to create, or new name of a team. */
export const createTeamSchema = z
	.strictObject({name: nameField.describe('Name of the team, 1 to 100 characters.')})
	.meta({id: 'CreateTeam'});

export type CreateTeam = Input<typeof createTeamSchema>;

/** Invite to create. */
export const createInviteSchema = z
	.strictObject({
		email: emailField.describe('Email address of the user to invite.'),
		role: z.enum(invitedRoles).default('member').describe('Role in the team (default `member`).'),
	})
	.meta({id: 'CreateInvite'});

export type CreateInvite = Input<typeof createInviteSchema>;

/** Invite to accept. */
export const acceptInviteSchema = z
	.strictObject({token: z.string().min(1).max(200).describe('Token of the invite.')})
	.meta({id: 'AcceptInvite'});

export type AcceptInvite = Input<typeof acceptInviteSchema>;

/** Member of a team. */
const memberSchema = z
	.object({
		user_id: z.string().describe('Id of the user.'),
		user_name: z.string().describe('Name of the user.'),
		user_email: z.string().describe('Email address of the user.'),
		role: z.enum(roles).describe('Role in the team.'),
		joined_at: timeField.describe('Time when the user joined the team.'),
	})
	.meta({id: 'Member'});

export type MemberBody = Body<typeof memberSchema>;

/** Team with its members. */
export const teamSchema = z
	.object({
		id: z.string().describe('Id of the team.'),
		name: z.string().describe('Name of the team.'),
		owner_id: z.string().describe('Id of the user who owns the team.'),
		members: z.array(memberSchema).describe('Members of the team, including the owner.'),
		created_at: timeField.describe('Time when the team was created.'),
	})
	.meta({id: 'Team'});

export type TeamBody = Body<typeof teamSchema>;

export const teamListSchema = z.array(teamSchema);

/** Open invite to a team. */
export const inviteSchema = z
	.object({
		id: z.string().describe('Id of the invite.'),
		token: z.string().describe('Token that the invited user accepts the invite with.'),
		email: z.string().describe('Email address of the invited user.'),
		role: z.enum(invitedRoles).describe('Role that the invited user gets.'),
		expiresAt: timeField.describe('Time when the invite expires. This is the only field in camelCase.'),
	})
	.meta({id: 'Invite'});

export type InviteBody = Body<typeof inviteSchema>;
