import path from 'node:path';
import type {SentAttachment} from '../provider.js';
import {SesProblem} from './problems.js';
import type {SesAttachment} from './schemas.js';

/** What programs take for something to run. */
const refusedExtensions = new Set(
	`ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk
	mad maf mag mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp
	mst ops pcd pif plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps
	vsmacros vss vst vsw vxd ws wsc wsf wsh xnk`.split(/\s+/),
);

export function readAttachments(attachments: readonly SesAttachment[]): SentAttachment[] {
	return attachments.map(({FileName, RawContent, ContentDisposition, ContentId, ContentType}) => {
		if (refusedExtensions.has(path.extname(FileName).slice(1).toLowerCase())) {
			throw new SesProblem('invalid', `Illegal filename '${FileName}'.`);
		}

		return {
			filename: FileName,
			content: decodeBlob(RawContent, `the attachment '${FileName}'`),
			contentType: ContentType ?? '',
			contentId: ContentId?.replace(/^<|>$/g, '') ?? '',
			disposition: ContentDisposition === 'INLINE' ? 'inline' : 'attachment',
		};
	});
}

/** Sentences about what is not done of attachments as it is asked for. */
export function warnOfAttachments(attachments: readonly SesAttachment[]): string[] {
	return attachments.flatMap(({FileName, ContentDescription, ContentTransferEncoding = 'BASE64'}) => [
		...(ContentDescription === undefined
			? []
			: [`"ContentDescription" of the attachment "${FileName}" was ignored: "${ContentDescription}".`]),
		...(ContentTransferEncoding === 'BASE64'
			? []
			: [
					`"ContentTransferEncoding" of the attachment "${FileName}" is ${ContentTransferEncoding}, but tinbox uses BASE64.`,
				]),
	]);
}

/** The bytes of a text in base64, as JSON and forms have them. */
export function decodeBlob(text: string, what: string): Buffer {
	if (/[^A-Za-z\d+/=\s]/.test(text)) {
		throw new SesProblem('malformed', `The content of ${what} is not in base64.`);
	}

	return Buffer.from(text, 'base64');
}
