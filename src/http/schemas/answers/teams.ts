import {z} from 'zod';
import {type InviteBody, invitedRoles, type MemberBody, roles, type TeamBody} from '../../../contract/teams.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

const memberSchema = bodySchema<MemberBody>()(
	'Member',
	z.object({
		user_id: z.string(),
		user_name: z.string(),
		user_email: z.string(),
		role: z.enum(roles),
		joined_at: timeField,
	}),
);

export const teamSchema = bodySchema<TeamBody>()(
	'Team',
	z.object({
		id: z.string(),
		name: z.string(),
		owner_id: z.string(),
		members: z.array(memberSchema),
		created_at: timeField,
	}),
);

export const teamListSchema = z.array(teamSchema);

export const inviteSchema = bodySchema<InviteBody>()(
	'Invite',
	z.object({
		id: z.string(),
		token: z.string().describe('What the invited user accepts with.'),
		email: z.string(),
		role: z.enum(invitedRoles),
		expiresAt: timeField.describe('In camelCase, as no other field is.'),
	}),
);
