import {z} from 'zod';

/** Time (ISO 8601, UTC). */
export const timeField = z.iso.datetime();

/** Count or size. */
export const amountField = z.int().min(0);

export const portField = z.int().min(0).max(65_535);

/** Address of a listener. */
export const hostPortField = z.object({host: z.string(), port: portField});

/** `page` and `limit` as they were applied. */
export const pageAnswer = {
	page: z.int().min(1).describe('Page number, starting at 1.'),
	limit: z.int().min(1).describe('Maximum number of rows on a page, as applied.'),
};

export const totalField = amountField.describe('Number of rows on all pages.');

/** SMTP or HTTP client. */
export const clientSchema = z
	.object({
		host: z.string().describe('Address of the client.'),
		helo: z.string().nullable().describe('Name that the client gave in HELO or EHLO; null before it gave one.'),
	})
	.describe('Client of the connection.');
