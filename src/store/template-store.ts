import type {Template} from '../domain/mail/sending.js';

export interface TemplateStore {
	/** Adds or replaces. Throws `not_found` when the user is gone, and `plan_limit` when he has `limit` others already. */
	put(template: Template, limit: number): Promise<void>;
	get(userId: string, provider: string, id: string): Promise<Template | undefined>;
	/** By provider and id. */
	list(userId: string): Promise<readonly Template[]>;
	delete(userId: string, provider: string, id: string): Promise<boolean>;
}

/** As both stores keep it: with an id that no other template has. */
export type TemplateRow = Omit<Template, 'id'> & {readonly id: string; readonly name: string};

export function templateRow({id: name, ...template}: Template): TemplateRow {
	return {...template, id: templateKey(template.userId, template.provider, name), name};
}

export function templateKey(userId: string, provider: string, id: string): string {
	return `${userId} ${provider} ${id}`;
}

export function templateOf({name: id, userId, provider, parts, createdAt}: TemplateRow): Template {
	return {userId, provider, id, parts, createdAt};
}
