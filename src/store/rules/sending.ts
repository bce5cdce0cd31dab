import {AppError} from '../../domain/errors.js';
import type {Receipt, Template} from '../../domain/mail/sending.js';
import type {TemplateRow} from '../dump.js';
import {AlreadyAnswered} from '../port.js';

/** Throws `AlreadyAnswered` if a stored receipt with the id of the new one had not expired when the new one was created. */
export function assertNotAnswered(stored: Receipt | undefined, {createdAt}: Receipt): void {
	if (stored && stored.expiresAt > createdAt) {
		throw new AlreadyAnswered(stored);
	}
}

/** Throws `plan_limit` if a user with `count` templates cannot create another one. */
export function checkTemplateLimit(count: number, limit: number): void {
	if (count >= limit) {
		throw new AppError('plan_limit', `The user has ${limit} templates, the maximum. Delete one first.`);
	}
}

/** Unique id of a template in the store. */
export function templateKey(userId: string, provider: string, id: string): string {
	return `${userId} ${provider} ${id}`;
}

/** Converts a template to the row that both stores keep. */
export function templateRow({id: name, ...template}: Template): TemplateRow {
	return {...template, id: templateKey(template.userId, template.provider, name), name};
}

/** Converts a stored row back to a template. */
export function templateOf({name: id, userId, provider, parts, createdAt}: TemplateRow): Template {
	return {userId, provider, id, parts, createdAt};
}
