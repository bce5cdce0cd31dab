import {fieldsOf} from './answers.js';
import type {SendProvider} from './send.js';

/** Of one user. */
export const maxTemplates = 200;

/** What `PUT /v1/templates/{provider}/{id}` takes: texts in the form of that provider, at least one of them. */
export type PutTemplate = {
	readonly subject?: string | undefined;
	readonly text?: string | undefined;
	readonly html?: string | undefined;
	/** What stands for a variable that a mail gives no value; only for Resend. */
	readonly fallback_values?: Readonly<Record<string, string | number>> | undefined;
};

export type TemplateBody = {
	readonly provider: SendProvider;
	/** What the app names it by. */
	readonly id: string;
	readonly subject: string | null;
	readonly text: string | null;
	readonly html: string | null;
	readonly fallback_values: Readonly<Record<string, string | number>>;
	readonly created_at: string;
};

/** One of a list, where the texts are left out. */
export type TemplateSummaryBody = Pick<TemplateBody, 'provider' | 'id' | 'subject' | 'created_at'> & {
	/** Which texts it has: `subject`, `text`, `html`. */
	readonly parts: readonly string[];
};

export type TemplateListBody = {readonly templates: readonly TemplateSummaryBody[]};

export const templateFields = fieldsOf<TemplateBody>()('provider id subject text html fallback_values created_at');

export const templateSummaryFields = fieldsOf<TemplateSummaryBody>()('provider id subject created_at parts');
