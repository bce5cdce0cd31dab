import {type Fields, WrongField} from '../fields.js';
import {SendError, type SentAttachment} from '../provider.js';
import {resendError} from './errors.js';

/** Endings of files that Resend does not send. */
const refusedEndings: ReadonlySet<string> = new Set(
	`adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag
	mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif
	plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd
	ws wsc wsf wsh xnk`.split(/\s+/),
);

type Read = {readonly attachments: readonly SentAttachment[]; readonly warnings: readonly string[]};

/** The attachments of a mail. Those that Resend would fetch from an address are left out, with a warning. Throws `SendError`. */
export function readResendAttachments(given: readonly Fields[]): Read {
	const attachments: SentAttachment[] = [];
	const warnings: string[] = [];
	for (const fields of given) {
		const content = readContent(fields, warnings);
		const attachment = {...readHead(fields), content};
		if (content) {
			attachments.push({...attachment, content});
		}
	}

	return {attachments, warnings};
}

function readHead(fields: Fields) {
	const given = fields.value('filename');
	const filename = given === false ? '' : (fields.text('filename') ?? '');
	const contentType = fields.text('content_type') ?? '';
	const contentId = fields.text('content_id') ?? fields.text('inline_content_id') ?? '';
	for (const [name, text] of Object.entries({filename, content_type: contentType, content_id: contentId})) {
		if (/\p{Cc}/u.test(text)) {
			throw new WrongField(fields.pathOf(name), 'must be on one line');
		}
	}

	if (refusedEndings.has(/\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '')) {
		throw invalidAttachment(`Attachments of this type are not supported: ${filename.slice(-100)}`);
	}

	return {
		filename,
		contentType,
		contentId,
		disposition: contentId === '' ? ('attachment' as const) : ('inline' as const),
	};
}

/** Undefined where it is to be fetched from somewhere. */
function readContent(fields: Fields, warnings: string[]): Buffer | undefined {
	const content = fields.value('content');
	const path = fields.text('path');
	if (content === undefined && path === undefined) {
		throw invalidAttachment('Attachment must have either a `content` or `path`.');
	}

	if (content === undefined) {
		warnings.push(
			`"${fields.pathOf('path')}" was ignored: tinbox does not download files, so this one is not attached.`,
		);
		return undefined;
	}

	if (typeof content !== 'string') {
		return readBytes(content, fields.pathOf('content'));
	}

	if (/[^A-Za-z\d+/=_\s-]/.test(content)) {
		warnings.push(
			`"${fields.pathOf('content')}" is not valid Base64. Only the part that could be decoded is attached.`,
		);
	}

	return Buffer.from(content, 'base64');
}

/** A list of bytes, or what JSON makes of a `Buffer` of Node. */
function readBytes(content: unknown, field: string): Buffer {
	const bytes: unknown = typeof content === 'object' && content !== null && 'data' in content ? content.data : content;
	if (!Array.isArray(bytes) || !bytes.every(byte => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
		throw new WrongField(field, 'must be Base64 or a list of bytes');
	}

	return Buffer.from(bytes);
}

function invalidAttachment(message: string): SendError {
	return new SendError(resendError(422, 'invalid_attachment', message));
}
