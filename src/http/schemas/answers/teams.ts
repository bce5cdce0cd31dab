import {z} from 'zod';
import {invitedRoles, roles} from '../../../contract/constants.js';
import type {InviteBody, MemberBody, TeamBody} from '../../../contract/teams.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

const memberSchema = bodySchema<MemberBody>()(
	'Member',
	z.object({
		user_id: z.string().describe('Id of the user.'),
		user_name: z.string().describe('Name of the user.'),
		user_email: z.string().describe('Email address of the user.'),
		role: z.enum(roles).describe('Role in the team.'),
		joined_at: timeField.describe('Time when the user joined the team.'),
	}),
);

export const teamSchema = bodySchema<TeamBody>()(
	'Team',
	z.object({
		id: z.string().describe('Id of the team.'),
		name: z.string().describe('Name of the team.'),
		owner_id: z.string().describe('Id of the user who owns the team.'),
		members: z.array(memberSchema).describe('Members of the team, including the owner.'),
		created_at: timeField.describe('Time when the team was created.'),
	}),
);

export const teamListSchema = z.array(teamSchema);

export const inviteSchema = bodySchema<InviteBody>()(
	'Invite',
	z.object({
		id: z.string().describe('Id of the invite.'),
		token: z.string().describe('Token that the invited user accepts the invite with.'),
		email: z.string().describe('Email address of the invited user.'),
		role: z.enum(invitedRoles).describe('Role that the invited user gets.'),
		expiresAt: timeField.describe('Time when the invite expires. This is the only field in camelCase.'),
	}),
);
