import type {SendProvider} from '../../contract/constants.js';
import {type ComposedContent, type SendFailure, type SentMail, Unsent} from '../../domain/mail/sending.js';
import {shellQuote} from '../../lib/text/sanitize.js';
import type {TemplateTexts} from '../../mime/templates/fill-template.js';
import type {Recipients} from '../messages/recipients.js';
import type {Refusals} from '../refusals.js';
import type {Asker} from './sending.js';
import type {Templates} from './templates.js';

export type TemplateMailsOptions = {
	readonly templates: Pick<Templates, 'fill'>;
	readonly recipients: Pick<Recipients, 'resolve'>;
	readonly refusals: Pick<Refusals, 'add'>;
};

/** Providers that find out whether a template can be filled in before they answer. The others say that they take the mail, and never send it. */
const refusers: readonly SendProvider[] = ['resend', 'postmark', 'tinbox'];

/** Providers where the subject of a request goes before that of the template. */
const givenSubjectFirst: readonly SendProvider[] = ['resend', 'mailgun', 'tinbox'];

/** Makes mails of the templates that they name. */
export class TemplateMails {
	readonly #options: TemplateMailsOptions;

	constructor(options: TemplateMailsOptions) {
		this.#options = options;
	}

	/**
	 * The mail with the texts of its template, which is one of the user whose inbox it goes to; with a word about it where that
	 * user has none. Undefined for a mail that the provider would take and never send: that is told as a refusal. Throws
	 * `Unsent` where the provider refuses it.
	 */
	async fill(asker: Asker, mail: SentMail): Promise<SentMail | undefined> {
		const {template, content, envelope} = mail;
		const {provider, sender} = asker;
		if (!template || 'raw' in content) {
			return mail;
		}

		const [reached] = await this.#options.recipients.resolve(envelope.to, sender.inboxId);
		const {id, data} = template;
		const filled = reached && (await this.#options.templates.fill(reached.inbox.ownerId, provider, id, data));
		if (!filled) {
			return unregistered(mail, content, provider, id);
		}

		if ('problem' in filled) {
			const reason = `The ${provider} template "${id}" cannot be rendered. ${filled.problem}`;
			return this.#refuse(asker, envelope.to, reason);
		}

		return {...mail, content: withTexts(content, filled.texts, provider), template: {...template, isRegistered: true}};
	}

	#refuse({provider, session}: Asker, addresses: readonly string[], reason: string): undefined {
		const failure: SendFailure = {type: 'refused', detail: reason, address: undefined};
		const reply = refusers.includes(provider) ? null : `accepted (as ${provider} does)`;
		this.#options.refusals.add({client: session.client, stage: 'data', addresses, reply, reason});
		if (reply === null) {
			throw new Unsent(failure);
		}
	}
}

function withTexts(content: ComposedContent, texts: TemplateTexts, provider: SendProvider): ComposedContent {
	const {text = content.text, html = content.html} = texts;
	const isGiven = content.subject !== '' && givenSubjectFirst.includes(provider);
	const subject = isGiven ? content.subject : (texts.subject ?? content.subject).replaceAll(/\s+/g, ' ').trim();
	return {...content, subject, text, html};
}

function unregistered(mail: SentMail, content: ComposedContent, provider: SendProvider, id: string): SentMail {
	const command = `tinbox templates put ${provider} ${shellQuote(id)} --html <file>`;
	const word = `The ${provider} template "${id}" is not registered, so it was not rendered. Register it with "${command}".`;
	const text = content.text || content.html ? content.text : `${word}\n`;
	return {...mail, content: {...content, text}, warnings: [...mail.warnings, word]};
}
