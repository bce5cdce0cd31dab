import {z} from 'zod';

/** `1`, which pages link to, counts; anything else is as if it were not there. */
const flag = z.string().optional().catch(undefined);

/** `view` says which of its parts is open, and `remote` whether images of others are loaded. */
export const readPreview = z.object({view: z.string().optional().catch(undefined), remote: flag});

/** `measured` has its height told to the page around it. */
export const readPreviewHtml = z.object({remote: flag, measured: flag});

export const readPreviewAttachment = z.object({inline: flag});
