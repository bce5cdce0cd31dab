/** The forms of mail in files that other programs know. */
export const fileFormats = ['eml', 'mbox', 'maildir'] as const;

export type FileFormat = (typeof fileFormats)[number];

/** What is longer is no mail. */
export const maxMailBytes = 128 * 1024 * 1024;
