import type {Operation} from '../operation.js';
import {readPreview, readPreviewAttachment, readPreviewHtml} from '../schemas/previews.js';

const page = 'text/html';
const isMissingShown = true;

/** Pages for a browser. Their address is what opens them. */
export const previewOperations = {
	page: {
		at: 'GET /previews/:token',
		id: 'showPreview',
		summary: 'Show a message',
		caller: 'anybody',
		query: readPreview,
		media: {types: [page], description: 'A page that shows the message.', isMissingShown},
	},
	html: {
		at: 'GET /previews/:token/html',
		id: 'showPreviewHtml',
		summary: 'Show the HTML of a message',
		caller: 'anybody',
		query: readPreviewHtml,
		media: {
			types: [page],
			description: 'The HTML of the mail, for a frame: it runs nothing and loads nothing.',
			isMissingShown,
		},
	},
	raw: {
		at: 'GET /previews/:token/raw',
		id: 'getPreviewSource',
		summary: 'Download the source of a message that is shown',
		caller: 'anybody',
		media: {types: ['message/rfc822'], description: 'The bytes of the mail as they came.', isMissingShown},
	},
	attachment: {
		at: 'GET /previews/:token/attachments/:attachmentId',
		id: 'getPreviewAttachment',
		summary: 'Download an attachment of a message that is shown',
		caller: 'anybody',
		query: readPreviewAttachment,
		media: {types: ['*/*'], description: 'Its bytes.', isMissingShown},
	},
} as const satisfies Readonly<Record<string, Operation>>;
