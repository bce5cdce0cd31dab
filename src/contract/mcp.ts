/** Optional permissions of agents: sending mail, and creating faults. */
export const mcpExtras = ['send', 'faults'] as const;

export type McpExtra = (typeof mcpExtras)[number];

/** Name for every inbox that the user sees, in the list of inboxes that agents can read. */
export const allInboxes = 'all';
