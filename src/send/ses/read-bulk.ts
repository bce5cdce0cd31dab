import type {Answer, SentMail} from '../provider.js';
import {readDestination} from './addresses.js';
import {readAttachments, warnOfAttachments} from './attachments.js';
import {replaceHeaders} from './headers.js';
import {readTemplateData, tooMuchFilled} from './inline-template.js';
import {textBytes} from './make-mail.js';
import {SesProblem, sesProblemAnswer} from './problems.js';
import {readTemplated} from './read-templated.js';
import type {Reading} from './reading.js';
import type {SendBulkEmailFields} from './schemas.js';
import {replaceTags} from './tags.js';

const maxEntries = 50;

/** A mail for each entry of a bulk request; in the place of one that cannot be, what is wrong with it. */
export function readBulk(fields: SendBulkEmailFields, reading: Reading): Array<SentMail | Answer> {
	const {Template} = fields.DefaultContent;
	if (Template === undefined) {
		throw new SesProblem('invalid', 'The default content must be a template.');
	}

	if (fields.BulkEmailEntries.length === 0 || fields.BulkEmailEntries.length > maxEntries) {
		throw new SesProblem('invalid', `The number of destinations must be from 1 to ${maxEntries}.`);
	}

	const defaults = readTemplateData(Template.TemplateData);
	const attachments = readAttachments(Template.Attachments);
	const warned = {...reading, warnings: [...reading.warnings, ...warnOfAttachments(Template.Attachments)]};
	let bytes = 0;
	const read = ({
		Destination,
		ReplacementTags,
		ReplacementEmailContent,
		ReplacementHeaders,
	}: SendBulkEmailFields['BulkEmailEntries'][number]) => {
		const replacements = ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData;
		const parts = {
			...fields,
			destination: readDestination(Destination),
			tags: replaceTags(fields.DefaultEmailTags, ReplacementTags),
			headers: replaceHeaders(Template.Headers, ReplacementHeaders),
			attachments,
		};
		const mail = readTemplated(Template, {...defaults, ...readTemplateData(replacements)}, parts, warned);
		bytes += 'raw' in mail.content ? 0 : textBytes(mail.content);
		return mail;
	};
	return fields.BulkEmailEntries.map(entry => {
		if (bytes > reading.maxFilledBytes) {
			throw tooMuchFilled(reading.maxFilledBytes);
		}

		try {
			return read(entry);
		} catch (error) {
			if (error instanceof SesProblem) {
				return sesProblemAnswer(error, reading.protocol);
			}

			throw error;
		}
	});
}
