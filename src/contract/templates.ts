import type {SendProvider} from './constants.js';

/** Body of `PUT /v1/templates/{provider}/{id}`: at least one part, in the template syntax of the provider. */
export type PutTemplate = {
	readonly subject?: string | undefined;
	readonly text?: string | undefined;
	readonly html?: string | undefined;
	/** Values of variables that a mail gives no value for, by name; only for Resend. */
	readonly fallback_values?: Readonly<Record<string, string | number>> | undefined;
};

export type TemplateBody = {
	readonly provider: SendProvider;
	/** Id or name that the app uses for the template. */
	readonly id: string;
	readonly subject: string | null;
	readonly text: string | null;
	readonly html: string | null;
	readonly fallback_values: Readonly<Record<string, string | number>>;
	readonly created_at: string;
};

/** Template in a list, without its content. */
export type TemplateSummaryBody = Pick<TemplateBody, 'provider' | 'id' | 'subject' | 'created_at'> & {
	/** Parts that the template has: `subject`, `text`, `html`. */
	readonly parts: readonly string[];
};

export type TemplateListBody = {readonly templates: readonly TemplateSummaryBody[]};
