import type {NamedAddress, SendRequest, SentAttachment, SentMail} from '../provider.js';
import {readAddedHeaders} from './added-headers.js';
import {type Addressees, mailboxesIn, readAddressees} from './addressees.js';
import {mailgunError} from './errors.js';
import {type FormFields, readForm} from './form-fields.js';
import {newMailgunId} from './message-ids.js';
import {readMetadata, readTemplate, tagsOf} from './metadata.js';
import {checkOptions, undoneOptions} from './options.js';
import {type FillIn, readRecipientVariables} from './recipient-variables.js';

const contents = ['text', 'html', 'amp-html', 'template'];

const known = [
	...contents,
	'from',
	'to',
	'cc',
	'bcc',
	'subject',
	'attachment',
	'inline',
	'recipient-variables',
	'o:tag',
	't:variables',
];

/** Everything that a mail is made of but whom it is for. */
type Draft = {
	readonly form: FormFields;
	readonly id: string;
	readonly from: NamedAddress;
	readonly attachments: readonly SentAttachment[];
	readonly warnings: readonly string[];
};

/** What a request to send a message from its parts sends: one mail to all, or with recipient variables one to each. */
export function readMailgunMessages(request: SendRequest): readonly SentMail[] {
	const form = readForm(request);
	const id = newMailgunId(request);
	const [from, ...otherSenders] = mailboxesIn(form, 'from');
	if (!from) {
		throw mailgunError('from parameter is missing');
	}

	const addressees = readAddressees(form);
	checkContents(form);
	checkOptions(form);
	const forms = ['attachment', 'inline'].filter(field => form.text(field) !== undefined);
	const draft: Draft = {
		form,
		id,
		from,
		attachments: [...filesIn(form, 'attachment'), ...filesIn(form, 'inline')],
		warnings: [
			...undoneOptions(form, known),
			...forms.map(field => `"${field}" was ignored: it is a text, not a file.`),
			...(otherSenders.length > 0 ? ['"from" has several senders. The first one is used.'] : []),
		],
	};
	const variablesOf = readRecipientVariables(form.text('recipient-variables'));
	return variablesOf
		? addressees.to.map(recipient => mailTo(draft, {...addressees, to: [recipient]}, variablesOf(recipient)))
		: [mailTo(draft, addressees, text => text)];
}

function checkContents(form: FormFields): void {
	if (contents.every(field => form.text(field) === undefined)) {
		throw mailgunError("Need at least one of 'text' or 'html' parameters specified");
	}

	if (form.text('html') !== undefined && form.text('template') !== undefined) {
		throw mailgunError("Only one parameters 'html' or 'template' is allowed");
	}
}

function mailTo({form, id, from, attachments, warnings}: Draft, {to, cc, bcc}: Addressees, fillIn: FillIn): SentMail {
	const text = (field: string) => {
		const given = form.text(field);
		return given === undefined ? undefined : fillIn(given);
	};
	const {messageId = id, warnings: ofHeaders, ...added} = readAddedHeaders(form, fillIn);
	return {
		id: messageId,
		envelope: {from: from.address, to: [...to, ...cc, ...bcc].map(({address}) => address)},
		content: {
			from,
			to,
			cc,
			subject: text('subject') ?? '',
			text: text('text'),
			html: text('html'),
			amp: text('amp-html'),
			attachments,
			messageId,
			...added,
		},
		tags: tagsOf(form),
		metadata: readMetadata(form, fillIn),
		template: readTemplate(form, fillIn),
		warnings: [...warnings, ...ofHeaders],
	};
}

/** An inline file is named in the HTML by its name. */
function filesIn(form: FormFields, field: 'attachment' | 'inline'): readonly SentAttachment[] {
	return form.files(field).map(({filename, value, contentType}) => ({
		filename,
		content: value,
		// Clients that know no type say this.
		contentType: contentType === 'application/octet-stream' ? '' : contentType,
		contentId: field === 'inline' ? filename : '',
		disposition: field,
	}));
}
