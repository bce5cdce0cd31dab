/** The ways to look at a message, by the words that people see. */
export const tabs = ['text', 'html', 'headers', 'attachments', 'codes', 'source'] as const;

export type Tab = (typeof tabs)[number];
