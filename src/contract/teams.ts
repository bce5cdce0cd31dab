import type {FieldsOf} from './answers.js';

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/** Roles that an invite can give. */
export const invitedRoles = ['member', 'admin'] as const;

export type InvitedRole = (typeof invitedRoles)[number];

export type CreateTeam = {readonly name: string};

export type RenameTeam = CreateTeam;

export type CreateInvite = {
	readonly email: string;
	/** `member` unless given. */
	readonly role?: InvitedRole | undefined;
};

export type AcceptInvite = {readonly token: string};

export type MemberBody = {
	readonly user_id: string;
	readonly user_name: string;
	readonly user_email: string;
	readonly role: Role;
	readonly joined_at: string;
};

export type TeamBody = {
	readonly id: string;
	readonly name: string;
	readonly owner_id: string;
	readonly members: readonly MemberBody[];
	readonly created_at: string;
};

export const teamFields: FieldsOf<TeamBody> = {id: true, name: true, owner_id: true, members: true, created_at: true};

export type InviteBody = {
	readonly id: string;
	readonly token: string;
	readonly email: string;
	readonly role: InvitedRole;
	/** The one field in camelCase, which clients rely on. */
	readonly expiresAt: string;
};

export const inviteFields: FieldsOf<InviteBody> = {id: true, token: true, email: true, role: true, expiresAt: true};
