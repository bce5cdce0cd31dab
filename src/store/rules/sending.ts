import {maxTemplateBytes} from '../../contract/constants.js';
import {AppError} from '../../domain/errors.js';
import type {Receipt, Template} from '../../domain/mail/sending.js';
import {formatSize} from '../../lib/text/units.js';
import type {TemplateRow} from '../dump.js';
import {AlreadyAnswered} from '../port.js';

/** Throws `AlreadyAnswered` if a stored receipt with the id of the new one had not expired when the new one was created. */
export function assertNotAnswered(stored: Receipt | undefined, {createdAt}: Receipt): void {
	if (stored && stored.expiresAt > createdAt) {
		throw new AlreadyAnswered(stored);
	}
}

/** Share of the budget that remains used after an eviction, so that not every new receipt causes one. */
const keptShare = 15 / 16;

/**
 * Maximum number of bytes that each holder of receipts may keep, so that all together fit into the budget. Infinite if they fit
 * already.
 */
export function receiptShare(sizes: readonly number[], budget: number): number {
	if (sizes.reduce((sum, size) => sum + size, 0) <= budget) {
		return Number.POSITIVE_INFINITY;
	}

	const ascending = sizes.toSorted((a, b) => a - b);
	let left = budget * keptShare;
	for (const [index, size] of ascending.entries()) {
		const share = left / (ascending.length - index);
		if (size > share) {
			return share;
		}

		left -= size;
	}

	return Number.POSITIVE_INFINITY;
}

/** Throws `plan_limit` if a user with `count` templates cannot create another one. */
export function checkTemplateLimit(count: number, limit: number): void {
	if (count >= limit) {
		throw new AppError('plan_limit', `The user has ${limit} templates, the maximum. Delete one first.`);
	}
}

/** Size of a template in bytes. */
export function sizeOfTemplate({name, parts}: TemplateRow): number {
	return Buffer.byteLength(JSON.stringify([name, parts]));
}

/** Throws `limit_reached` if the templates of a user, or of all users, are too large. A change that makes a template smaller is allowed. */
export function checkTemplateBytes(ofUser: number, inAll: number, growth: number): void {
	const {perUser, inAll: most} = maxTemplateBytes;
	if (growth > 0 && ofUser > perUser) {
		throw new AppError(
			'limit_reached',
			`The templates of a user can have at most ${formatSize(perUser)} together. Delete some, or make them smaller.`,
		);
	}

	if (growth > 0 && inAll > most) {
		throw new AppError(
			'limit_reached',
			`The templates of all users can have at most ${formatSize(most)} together. Delete some, or make them smaller.`,
		);
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
