import {maxTemplates, type SendProvider, sendProviders} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, found, invalidField} from '../../domain/errors.js';
import {
	type ComposedContent,
	SendError,
	type SendFailure,
	type SentMail,
	type Template,
} from '../../domain/mail/sending.js';
import {shellQuote, shortCopy} from '../../lib/text/sanitize.js';
import type {Parser} from '../../mime/parser.js';
import type {ComposedTemplate, TemplateMail, TemplateTexts} from '../../mime/templates/fill-template.js';
import type {Store} from '../../store/port.js';
import type {Recipients} from '../messages/recipients.js';
import type {Refusals} from '../refusals.js';
import type {Asker} from './sending.js';

/** Content of a template. */
type TemplateContent = {
	readonly texts: TemplateTexts;
	/** Values of variables that a request leaves out. Resend only. */
	readonly fallbackValues: Readonly<Record<string, string | number>>;
};

export type RegisteredTemplate = TemplateContent & {
	readonly provider: SendProvider;
	readonly id: string;
	readonly createdAt: string;
};

type TemplatesOptions = {
	readonly parser: Pick<Parser, 'composeContent' | 'composeFromTemplate' | 'templateProblem'>;
	readonly now: () => Date;
};

/** Key of the fallback values in the stored parts. */
const fallbackPart = 'fallback_values';

/** Registered templates of the sending APIs, by user, provider and id. */
export class Templates {
	readonly #store: Store['templates'];
	readonly #options: TemplatesOptions;

	constructor({templates}: Pick<Store, 'templates'>, options: TemplatesOptions) {
		this.#store = templates;
		this.#options = options;
	}

	/**
	 * Registers a template or replaces it. Throws `plan_limit`, and `invalid_input` if the template is invalid for the provider.
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

	/** Lists the templates of a user, ordered by provider and id. */
	async list(user: User): Promise<readonly RegisteredTemplate[]> {
		return (await this.#store.list(user.id)).map(registered);
	}

	/** Returns a template. Throws `not_found`. */
	async get(user: User, provider: string, id: string): Promise<RegisteredTemplate> {
		return registered(found(await this.#store.get(user.id, provider, id), none(provider, id)));
	}

	/** Deletes a template. Throws `not_found`. */
	async delete(user: User, provider: string, id: string): Promise<void> {
		found(await this.#store.delete(user.id, provider, id), none(provider, id));
	}

	/**
	 * Renders a template with data and composes the mail, in the turn of `holder`. Returns undefined if the user has no such
	 * template.
	 */
	async compose(
		holder: string,
		userId: string,
		{id, data}: NonNullable<SentMail['template']>,
		mail: Omit<TemplateMail, 'texts' | 'data'>,
	): Promise<ComposedTemplate | undefined> {
		const template = await this.#store.get(userId, mail.provider, id);
		if (!template) {
			return undefined;
		}

		const {texts, fallbackValues} = registered(template);
		return this.#options.parser.composeFromTemplate(holder, {...mail, texts, data: {...fallbackValues, ...data}});
	}

	/** Composes a mail without a template, in the turn of `holder`: its content can be as large as a request. */
	async composeContent(holder: string, mail: Pick<TemplateMail, 'provider' | 'content'>): Promise<ComposedTemplate> {
		return this.#options.parser.composeContent(holder, mail);
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

type TemplateMailsOptions = {
	readonly templates: Pick<Templates, 'compose' | 'composeContent'>;
	readonly recipients: Pick<Recipients, 'resolve'>;
	readonly refusals: Pick<Refusals, 'add'>;
};

/** Providers that render templates before they answer. The others accept the mail and never send it. */
const synchronousRenderers: readonly SendProvider[] = ['resend', 'postmark', 'tinbox'];

/** Providers for which the subject of the request overrides the subject of the template. */
const preferRequestSubject: readonly SendProvider[] = ['resend', 'mailgun', 'tinbox'];

/** Maximum length of the id of an unregistered template that is stored. No registered template has a longer one. */
const maxShownId = 300;

/** Mail whose template is rendered. Without `source` it is not composed yet. */
export type RenderedMail = {readonly mail: SentMail; readonly source?: Buffer};

/** Renders the templates of mails. */
export class TemplateMails {
	readonly #options: TemplateMailsOptions;

	constructor(options: TemplateMailsOptions) {
		this.#options = options;
	}

	/**
	 * Renders the template of a mail and composes it, in the turn of the sender. Templates belong to the owner of the first recipient
	 * inbox; a missing template becomes a warning, and the mail is composed without it. Returns undefined, and records a refusal, if the
	 * provider would accept the mail but never send it. Throws `SendError` if the provider would reject it.
	 */
	async compose(asker: Asker, mail: SentMail): Promise<RenderedMail | undefined> {
		const {template, content, envelope} = mail;
		const {provider, sender} = asker;
		if (!template || 'raw' in content) {
			return {mail};
		}

		const {templates, recipients} = this.#options;
		const [reached] = await recipients.resolve(envelope.to, sender.inboxId);
		const keepsSubject = content.subject !== '' && preferRequestSubject.includes(provider);
		const filled =
			reached &&
			(await templates.compose(sender.owner, reached.inbox.ownerId, template, {provider, content, keepsSubject}));
		if (filled) {
			return this.#composed(asker, {...mail, template: {...template, isRegistered: true}}, filled);
		}

		const plain = unregistered(mail, content, provider, template);
		return this.#composed(
			asker,
			plain,
			await templates.composeContent(sender.owner, {provider, content: plain.content}),
		);
	}

	#composed(asker: Asker, mail: SentMail, composed: ComposedTemplate): RenderedMail | undefined {
		if ('problem' in composed) {
			const {provider} = asker;
			const reason = `The ${provider} template "${mail.template?.id}" cannot be rendered. ${composed.problem}`;
			return this.#refuse(asker, mail.envelope.to, reason);
		}

		return {mail, source: composed.source};
	}

	#refuse({provider, session}: Asker, addresses: readonly string[], reason: string): undefined {
		const failure: SendFailure = {type: 'refused', detail: reason, address: undefined};
		const reply = synchronousRenderers.includes(provider) ? null : `accepted (as ${provider} does)`;
		this.#options.refusals.add({client: session.client, stage: 'data', addresses, reply, reason});
		if (reply === null) {
			throw new SendError(failure);
		}
	}
}

function unregistered(
	mail: SentMail,
	content: ComposedContent,
	provider: SendProvider,
	template: NonNullable<SentMail['template']>,
) {
	const id = shortCopy(template.id, maxShownId);
	const command = `tinbox templates put ${provider} ${shellQuote(id)} --html <file>`;
	const warning = `The ${provider} template "${id}" is not registered, so it was not rendered. Register it with "${command}".`;
	const text = content.text || content.html ? content.text : `${warning}\n`;
	return {...mail, template: {...template, id}, content: {...content, text}, warnings: [...mail.warnings, warning]};
}
