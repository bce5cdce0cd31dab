import type {Operation} from '../operation.js';
import {readPreview, readPreviewAttachment, readPreviewHtml} from '../schemas/previews.js';

const page = 'text/html';
const isMissingShown = true;

/** Pages for a browser; the token in their path is the only credential. */
export const previewOperations = {
	page: {
		at: 'GET /previews/:token',
		id: 'showPreview',
		summary: 'Show a message in the browser',
		caller: 'anybody',
		query: readPreview,
		media: {types: [page], description: 'Page that shows the message.', isMissingShown},
	},
	html: {
		at: 'GET /previews/:token/html',
		id: 'showPreviewHtml',
		summary: 'Show the HTML of a message',
		caller: 'anybody',
		query: readPreviewHtml,
		media: {
			types: [page],
			description: 'HTML of the mail for an iframe. It cannot run scripts or load remote content.',
			isMissingShown,
		},
	},
	raw: {
		at: 'GET /previews/:token/raw',
		id: 'getPreviewSource',
		summary: 'Download the source of a previewed message',
		caller: 'anybody',
		media: {types: ['message/rfc822'], description: 'Source of the message, byte for byte.', isMissingShown},
	},
	attachment: {
		at: 'GET /previews/:token/attachments/:attachmentId',
		id: 'getPreviewAttachment',
		summary: 'Download an attachment of a previewed message',
		caller: 'anybody',
		query: readPreviewAttachment,
		media: {types: ['*/*'], description: 'Content of the attachment.', isMissingShown},
	},
} as const satisfies Readonly<Record<string, Operation>>;
