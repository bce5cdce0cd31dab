import {z} from 'zod';

/** A time (ISO 8601, UTC). */
export const timeField = z.iso.datetime();

/** How many, or how much. */
export const amountField = z.int().min(0);

export const portField = z.int().min(0).max(65_535);

/** Where something listens. */
export const hostPortField = z.object({host: z.string(), port: portField});

/** `page` and `limit` as they were applied. */
export const pageAnswer = {page: z.int().min(1), limit: z.int().min(1)};
