import {templateOperations} from '../operations/templates.js';
import {templateBody, templateSummaryBody} from '../present/templates.js';
import type {Routes} from '../routing.js';
import type {Services} from '../services.js';

export function addTemplateRoutes(routes: Routes, {templates}: Services): void {
	routes.addList(templateOperations.list, async ({user}) => templates.list(user), {
		bodyOf: async row => templateSummaryBody(row),
		wrap: list => ({templates: list}),
	});

	routes.add(templateOperations.put, async ({user, params, body}) => {
		const {fallback_values: fallbackValues = {}, ...texts} = body;
		return templateBody(await templates.put(user, params.provider, params.templateId, {texts, fallbackValues}));
	});

	routes.add(templateOperations.get, async ({user, params}) => {
		return templateBody(await templates.get(user, params.provider, params.templateId));
	});

	routes.add(templateOperations.delete, async ({user, params}) => {
		await templates.delete(user, params.provider, params.templateId);
		return {message: 'The template was deleted.'};
	});
}
