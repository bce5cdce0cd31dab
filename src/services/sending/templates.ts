import {maxTemplates, type SendProvider, sendProviders} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, found, invalidField} from '../../domain/errors.js';
import {
	type ComposedContent,
	type SendFailure,
	type SentMail,
	type Template,
	Unsent,
} from '../../domain/mail/sending.js';
import {shellQuote} from '../../lib/text/sanitize.js';
import type {Parser} from '../../mime/parser.js';
import type {Filled, TemplateTexts} from '../../mime/templates/fill-template.js';
import type {TemplateData} from '../../mime/templates/template-form.js';
import type {Store} from '../../store/port.js';
import type {Recipients} from '../messages/recipients.js';
import type {Refusals} from '../refusals.js';
import type {Asker} from './sending.js';

/** What a template consists of. */
type TemplateContent = {
	readonly texts: TemplateTexts;
	/** What stands for a variable that has no value. */
	readonly fallbackValues: Readonly<Record<string, string | number>>;
};

export type RegisteredTemplate = TemplateContent & {
	readonly provider: SendProvider;
	readonly id: string;
	readonly createdAt: string;
};

export type TemplatesOptions = {
	readonly parser: Pick<Parser, 'fillTemplate' | 'templateProblem'>;
	readonly now: () => Date;
};

/** Among the parts of a template that is stored, and no text. */
const fallbackPart = 'fallback_values';

/** The templates that users registered, by the ids by which their apps have providers fill them in. */
export class Templates {
	readonly #store: Store['templates'];
	readonly #options: TemplatesOptions;

	constructor({templates}: Pick<Store, 'templates'>, options: TemplatesOptions) {
		this.#store = templates;
		this.#options = options;
	}

	/**
	 * Registers a template, in place of the one that has the id. Throws `plan_limit`, and `invalid_input` for what the form of
	 * the provider does not know.
	 */
	async put(user: User, provider: string, id: string, content: TemplateContent): Promise<RegisteredTemplate> {
		assertProvider(provider);
		const {texts, fallbackValues} = content;
		if (!/^[^\p{Cc}\p{Cs}]{1,300}$/u.test(id)) {
			throw invalidField('id', 'must have 1 to 300 characters and no control characters');
		}

		if (Object.keys(texts).length === 0) {
			throw new AppError('invalid_input', 'A template requires at least one of "subject", "text" and "html".');
		}

		if (provider !== 'resend' && Object.keys(fallbackValues).length > 0) {
			throw invalidField(fallbackPart, 'are supported only for Resend');
		}

		const wrong = await this.#options.parser.templateProblem(user.id, {provider, texts});
		if (wrong) {
			const problem = wrong.problem.replace(/\.$/, '');
			throw invalidField(wrong.part, `is not a valid ${provider} template. ${problem}`);
		}

		const createdAt = this.#options.now().toISOString();
		const parts = {...texts, ...(provider === 'resend' && {[fallbackPart]: JSON.stringify(fallbackValues)})};
		await this.#store.put({userId: user.id, provider, id, parts, createdAt}, maxTemplates);
		return {provider, id, createdAt, ...content};
	}

	/** By provider and id. */
	async list(user: User): Promise<readonly RegisteredTemplate[]> {
		return (await this.#store.list(user.id)).map(registered);
	}

	/** Throws `not_found`. */
	async get(user: User, provider: string, id: string): Promise<RegisteredTemplate> {
		return registered(found(await this.#store.get(user.id, provider, id), none(provider, id)));
	}

	/** Throws `not_found`. */
	async delete(user: User, provider: string, id: string): Promise<void> {
		found(await this.#store.delete(user.id, provider, id), none(provider, id));
	}

	/** The template of the user filled in with the data, or why it could not be; undefined where there is no such template. */
	async fill(userId: string, provider: SendProvider, id: string, data: TemplateData): Promise<Filled | undefined> {
		const template = await this.#store.get(userId, provider, id);
		if (!template) {
			return undefined;
		}

		const {texts, fallbackValues} = registered(template);
		return this.#options.parser.fillTemplate(userId, {provider, texts, data: {...fallbackValues, ...data}});
	}
}

function registered({provider, id, parts, createdAt}: Template): RegisteredTemplate {
	const {[fallbackPart]: fallbackValues = '{}', ...texts} = parts;
	return {provider: provider as SendProvider, id, texts, fallbackValues: JSON.parse(fallbackValues), createdAt};
}

function assertProvider(name: string): asserts name is SendProvider {
	if (!sendProviders.includes(name as SendProvider)) {
		throw new AppError('not_found', `Unknown provider "${name}". Supported: ${sendProviders.join(', ')}.`);
	}
}

function none(provider: string, id: string): string {
	return `There is no ${provider} template "${id}".`;
}

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
