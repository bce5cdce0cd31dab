import type {TemplateBody, TemplateSummaryBody} from '../../contract/templates.js';
import type {RegisteredTemplate} from '../../services/sending/templates.js';

export function templateBody(template: RegisteredTemplate): TemplateBody {
	const {provider, id, texts, fallbackValues, createdAt} = template;
	const {subject = null, text = null, html = null} = texts;
	return {provider, id, subject, text, html, fallback_values: fallbackValues, created_at: createdAt};
}

export function templateSummaryBody({provider, id, texts, createdAt}: RegisteredTemplate): TemplateSummaryBody {
	return {provider, id, subject: texts.subject ?? null, created_at: createdAt, parts: Object.keys(texts)};
}
