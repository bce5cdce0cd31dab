import {z} from 'zod';

const remoteText = '`1` loads remote images (default: they are blocked).';

/** Set by `1`, as the pages link to it; other values are ignored. */
const flag = z.string().optional().catch(undefined);

export const readPreview = z.object({
	view: z
		.string()
		.optional()
		.catch(undefined)
		.describe('View to show: `html`, `text`, `headers` or `source` (default: the HTML, or the text if there is none).'),
	remote: flag.describe(remoteText),
});

export const readPreviewHtml = z.object({
	remote: flag.describe(remoteText),
	measured: flag.describe('`1` allows the surrounding page to measure the height of the content.'),
});

export const readPreviewAttachment = z.object({
	inline: flag.describe('`1` shows an image or a PDF in the browser (default: download).'),
});
