import {AppError} from '../../../domain/errors.js';
import {type TemplateStore, templateKey, templateOf, templateRow} from '../../template-store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertUser, rowsOf} from './rows.js';

export function createTemplateStore(state: State, writer: Writer): TemplateStore {
	const {templates} = state.tables;
	const {templatesOfUser} = state.sending;
	return {
		put: async (template, limit) =>
			writer.exclusive(template.userId, async () => {
				const row = templateRow(template);
				assertUser(state, template.userId);
				if (!templates.has(row.id) && templatesOfUser.sizeOf(template.userId) >= limit) {
					throw new AppError('plan_limit', `The user has ${limit} templates, the maximum. Delete one first.`);
				}

				await writer.commit([['put', 'templates', row]]);
			}),
		get: async (...of) => {
			const row = templates.get(templateKey(...of));
			return row && templateOf(row);
		},
		list: async userId =>
			rowsOf(templates, templatesOfUser.newestFirst(userId))
				.sort((a, b) => (a.id < b.id ? -1 : 1))
				.map(templateOf),
		delete: async (userId, ...of) =>
			writer.exclusive(userId, async () => {
				const id = templateKey(userId, ...of);
				return templates.has(id) && writer.commit([['delete', 'templates', id]]);
			}),
	};
}
