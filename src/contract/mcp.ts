/** What agents may be allowed besides reading mail of their inboxes: to send mail, and to have it go wrong. */
export const mcpExtras = ['send', 'faults'] as const;

export type McpExtra = (typeof mcpExtras)[number];

/** Stands for every inbox that a user sees, where those are named that agents may read. */
export const allInboxes = 'all';
