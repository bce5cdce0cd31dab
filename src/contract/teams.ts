import type {InvitedRole, Role} from './constants.js';

export type CreateTeam = {readonly name: string};

export type RenameTeam = CreateTeam;

export type CreateInvite = {
	readonly email: string;
	/** Role in the team (default `member`). */
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

export type InviteBody = {
	readonly id: string;
	readonly token: string;
	readonly email: string;
	readonly role: InvitedRole;
	/** Time when the invite expires (ISO 8601); the only field in camelCase. */
	readonly expiresAt: string;
};
