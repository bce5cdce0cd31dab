import {type Fields, WrongField} from '../fields.js';
import {SendError, type SentAttachment} from '../provider.js';
import {postmarkCodes, postmarkError} from './errors.js';

/** Endings of files that Postmark does not send. */
const refusedEndings: ReadonlySet<string> = new Set(
	`vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc msi msp mst`.split(
		' ',
	),
);

export function readPostmarkAttachment(fields: Fields): SentAttachment {
	const filename = fields.text('Name') ?? '';
	const contentType = fields.text('ContentType') ?? '';
	const given = fields.text('ContentID') ?? '';
	// Without this, it is an attachment that can be named all the same.
	const isInline = /^cid:/i.test(given);
	const contentId = given.replace(/^cid:/i, '');
	// It follows from the content.
	fields.value('ContentLength');
	for (const [name, text] of Object.entries({Name: filename, ContentType: contentType, ContentID: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw new WrongField(fields.pathOf(name), 'must be on one line');
		}
	}

	if (refusedEndings.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw new SendError(
			postmarkError(
				postmarkCodes.forbiddenAttachment,
				`Attachments of this type are not allowed: ${filename.slice(-100)}`,
			),
		);
	}

	return {
		filename,
		content: readContent(fields),
		contentType,
		contentId,
		disposition: readDisposition(fields) ?? (isInline ? 'inline' : 'attachment'),
	};
}

function readDisposition(fields: Fields): SentAttachment['disposition'] | undefined {
	const given = fields.text('Disposition')?.toLowerCase();
	if (given !== undefined && given !== 'inline' && given !== 'attachment') {
		throw new WrongField(fields.pathOf('Disposition'), 'must be "inline" or "attachment"');
	}

	return given;
}

function readContent(fields: Fields): Buffer {
	const content = fields.text('Content');
	if (content === undefined || /[^A-Za-z\d+/=\s]/.test(content)) {
		throw new WrongField(fields.pathOf('Content'), 'must be Base64');
	}

	return Buffer.from(content, 'base64');
}
