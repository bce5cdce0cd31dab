import {z} from 'zod';
import {emailField, nameField} from './fields.js';

export const createTeam = z.strictObject({name: nameField});
export type CreateTeam = z.input<typeof createTeam>;

export const renameTeam = createTeam;

export const createInvite = z.strictObject({email: emailField, role: z.enum(['member', 'admin']).default('member')});
export type CreateInvite = z.input<typeof createInvite>;

export const acceptInvite = z.strictObject({token: z.string().min(1).max(200)});
export type AcceptInvite = z.input<typeof acceptInvite>;

export type MemberBody = {
	readonly user_id: string;
	readonly user_name: string;
	readonly user_email: string;
	readonly role: 'owner' | 'admin' | 'member';
	readonly joined_at: string;
};

export type TeamBody = {
	readonly id: string;
	readonly name: string;
	readonly owner_id: string;
	readonly members: readonly MemberBody[];
	readonly created_at: string;
};

export type InviteBody = {
	readonly id: string;
	readonly token: string;
	readonly email: string;
	readonly role: 'member' | 'admin';
	/** In camelCase, as the specification has it. */
	readonly expiresAt: string;
};
