/** Whose faults are shown, and which of them and of their hits is open. */
export type ShownFaults = {
	/** Null: the daemon's. */
	readonly inboxId: string | null;
	/** Undefined: all hits. */
	readonly faultId: string | undefined;
	/** Undefined: the newest. */
	readonly hitId: string | undefined;
};
