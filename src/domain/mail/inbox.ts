import type {Routing} from '../../contract/constants.js';

export type Inbox = {
	readonly id: string;
	readonly ownerId: string;
	readonly teamId: string | null;
	/** Claimed address: an exact address, `*@domain`, or `*`. Lower case, otherwise as typed. */
	readonly address: string;
	readonly name: string | null;
	readonly createdAt: string;
	/** Time at which the inbox and its mail are deleted; null for never. */
	readonly expiresAt: string | null;
	/** Delivery of mail that is sent with the login of the inbox. */
	readonly routing: Routing;
	/** Number of credential rotations. */
	readonly generation: number;
	/** Bounce that is returned for every mail, if any. */
	readonly bounce?: {readonly status: string; readonly delayMs: number} | null;
	/** True if its addresses act like the simulator addresses of Amazon SES. */
	readonly simulator?: boolean;
	/** Number of newest messages to keep. 0 for all; null or absent for the default of the daemon. */
	readonly keep?: number | null;
	/** Time to keep each message, with the same special values as `keep`. */
	readonly keepForMs?: number | null;
};

/** Changeable fields of an inbox. */
export type InboxPatch = Partial<
	Pick<Inbox, 'name' | 'teamId' | 'routing' | 'bounce' | 'simulator' | 'keep' | 'keepForMs'>
>;

/** True if the inbox, or something else with `expiresAt`, has expired. */
export function isExpired({expiresAt}: Pick<Inbox, 'expiresAt'>, now: Date): boolean {
	return expiresAt !== null && expiresAt <= now.toISOString();
}

/** Retention of an inbox: the newest `keep` messages, each for `keepForMs`; null for no limit. */
export type Retention = {readonly keep: number | null; readonly keepForMs: number | null};

/** Retention without limits. */
export const unlimitedRetention: Retention = {keep: null, keepForMs: null};

/** Returns the retention of an inbox; `defaultRetention` applies to fields that it does not set. */
export function retentionOf(inbox: Pick<Inbox, 'keep' | 'keepForMs'>, defaultRetention: Retention): Retention {
	return {
		keep: boundOf(inbox.keep, defaultRetention.keep),
		keepForMs: boundOf(inbox.keepForMs, defaultRetention.keepForMs),
	};
}

/** True if the patch changes the retention. */
export function changesRetention({keep, keepForMs}: InboxPatch): boolean {
	return keep !== undefined || keepForMs !== undefined;
}

/** Returns the time (ISO 8601) at which a message expires; undefined for never. */
export function expiryOf(receivedAt: string, {keepForMs}: Retention): string | undefined {
	return keepForMs === null ? undefined : new Date(Date.parse(receivedAt) + keepForMs).toISOString();
}

/** Resolves one limit: 0 is no limit, null or undefined the default. */
function boundOf(own: number | null | undefined, defaultLimit: number | null): number | null {
	return own == null ? defaultLimit : own === 0 ? null : own;
}
