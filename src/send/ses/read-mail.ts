import type {SentMail} from '../provider.js';
import {readDestination} from './addresses.js';
import {decodeBlob, readAttachments, warnOfAttachments} from './attachments.js';
import {readTemplateData} from './inline-template.js';
import {makeMail} from './make-mail.js';
import {SesProblem} from './problems.js';
import {readRaw} from './read-raw.js';
import {readTemplated} from './read-templated.js';
import type {Reading} from './reading.js';
import type {SendEmailFields, SesContent} from './schemas.js';
import {warnOfSending} from './sending.js';

/** The mail that a request with `SendEmail` of version 2, or with what version 1 calls the same, asks for. */
export function readMail(fields: SendEmailFields, reading: Reading): SentMail {
	const {Simple, Raw, Template} = fields.Content;
	if ([Simple, Raw, Template].filter(content => content !== undefined).length !== 1) {
		throw new SesProblem('invalid', 'Exactly one of Simple, Raw and Template must be given as the content.');
	}

	if (Raw !== undefined) {
		return readRaw(decodeBlob(Raw.Data, 'the raw message'), fields, reading);
	}

	const {Headers: headers = [], Attachments: attachments = []} = Simple ?? Template ?? {};
	const parts = {
		...fields,
		destination: readDestination(fields.Destination),
		tags: fields.EmailTags,
		headers,
		attachments: readAttachments(attachments),
	};
	const warned = {...reading, warnings: [...reading.warnings, ...warnOfAttachments(attachments)]};
	if (Template !== undefined) {
		return readTemplated(Template, readTemplateData(Template.TemplateData), parts, warned);
	}

	const {Subject, Body} = Simple ?? {};
	const texts = {subject: Subject?.Data ?? '', text: Body?.Text?.Data, html: Body?.Html?.Data};
	return {
		...makeMail(texts, parts, reading),
		template: undefined,
		warnings: [
			...warned.warnings,
			...warnOfSending(fields, reading.protocol),
			...warnOfCharset('Subject', Subject),
			...warnOfCharset('Body.Text', Body?.Text),
			...warnOfCharset('Body.Html', Body?.Html),
		],
	};
}

function warnOfCharset(field: string, content: SesContent | undefined): string[] {
	const {Data, Charset = 'us-ascii'} = content ?? {Data: ''};
	if (/^utf-?8$/i.test(Charset) || !/[^\0-\x7f]/.test(Data)) {
		return [];
	}

	return /^us-ascii$/i.test(Charset)
		? [`"${field}" has non-ASCII characters without a matching "Charset". SES may not send them; tinbox keeps them.`]
		: [`"Charset" of "${field}" is ${Charset}, but tinbox encodes the mail in UTF-8.`];
}
