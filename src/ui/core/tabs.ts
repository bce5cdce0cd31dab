/** The views of a message. */
export const tabs = ['text', 'html', 'headers', 'attachments', 'codes', 'source'] as const;

export type Tab = (typeof tabs)[number];

/** The labels of the tabs. */
export const tabWords: Readonly<Record<Tab, string>> = {
	text: 'Text',
	html: 'HTML',
	headers: 'Headers',
	attachments: 'Attachments',
	codes: 'Codes & links',
	source: 'Source',
};
