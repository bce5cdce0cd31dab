export type Role = 'owner' | 'admin' | 'member';

/** Roles that an invite can give. */
export const invitedRoles = ['member', 'admin'] as const;

export type InvitedRole = (typeof invitedRoles)[number];

export type Member = {readonly userId: string; readonly role: Role; readonly joinedAt: string};

export type Team = {
	readonly id: string;
	readonly name: string;
	readonly ownerId: string;
	/** In the order of joining; the owner is one of them. */
	readonly members: readonly Member[];
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
