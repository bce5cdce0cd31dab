import {isUtf8} from 'node:buffer';
import {headOf, splitHeader, textOfField} from '../../mime/parse/header-section.js';
import {readNamedAddress} from '../named-address.js';
import type {SendRequest, SentMail} from '../provider.js';
import {readAddedHeaders} from './added-headers.js';
import {readAddressees} from './addressees.js';
import {mailgunError} from './errors.js';
import {readForm} from './form-fields.js';
import {newMailgunId} from './message-ids.js';
import {readMetadata, tagsOf} from './metadata.js';
import {checkOptions, undoneOptions} from './options.js';
import {readRecipientVariables} from './recipient-variables.js';

const known = ['to', 'message', 'recipient-variables', 'o:tag'];

/** What a request to send a message in MIME sends, as it is but for its Message-ID. */
export function readMime(request: SendRequest): readonly SentMail[] {
	const form = readForm(request);
	const newId = newMailgunId(request);
	const {to} = readAddressees(form);
	const [message] = form.files('message');
	if (!message) {
		throw mailgunError(
			form.names.includes('message') ? "'message' parameter is not a file" : 'message parameter is missing',
		);
	}

	checkOptions(form);
	const variablesOf = readRecipientVariables(form.text('recipient-variables'));
	const warnings = undoneOptions(form, known);
	const encoding = isUtf8(message.value) ? 'utf8' : 'latin1';
	const from = fieldOf(message.value, 'from') ?? '';
	const ownId = fieldOf(message.value, 'message-id')?.trim();
	const mails = variablesOf ? to.map(one => [one]) : [to];
	return mails.map(recipients => {
		const fillIn = (variablesOf && recipients[0] && variablesOf(recipients[0])) ?? (text => text);
		const added = readAddedHeaders(form, fillIn);
		const head = [...(ownId ? [] : [['Message-Id', newId] as const]), ...added.headers];
		return {
			id: ownId ?? newId,
			envelope: {
				from: (readNamedAddress(from) ?? {address: ''}).address,
				to: recipients.map(({address}) => address),
			},
			content: {
				raw: Buffer.concat([
					Buffer.from(head.map(([name, value]) => `${name}: ${value}\r\n`).join('')),
					variablesOf ? Buffer.from(fillIn(message.value.toString(encoding)), encoding) : message.value,
				]),
			},
			tags: tagsOf(form),
			metadata: readMetadata(form, fillIn),
			template: undefined,
			warnings: [...warnings, ...added.warnings],
		};
	});
}

/** The first field with this name, as text. */
function fieldOf(mail: Buffer, key: string): string | undefined {
	const field = splitHeader(headOf(mail)).find(one => one.key === key);
	return field && textOfField(field.line.slice(field.line.indexOf(':') + 1), bytes => bytes.toString('latin1'));
}
