import {FilledText, type TemplateForm, TemplateProblem} from './template-form.js';

/** Template engine of Resend: `{{{NAME}}}` is an unescaped value, which must exist. */
export const tripleBraces: TemplateForm = {
	check(template) {
		for (const _ of namesIn(template)) {
			// Reading all names checks the syntax.
		}
	},
	fill(template, data) {
		const text = new FilledText();
		let end = 0;
		for (const {name, start, length} of namesIn(template)) {
			if (!Object.hasOwn(data, name)) {
				throw new TemplateProblem(`The variable "${name}" has no value and no fallback value.`);
			}

			text.add(template.slice(end, start));
			text.add(String(data[name]));
			end = start + length;
		}

		text.add(template.slice(end));
		return text.toString();
	},
};

function* namesIn(template: string) {
	for (const {0: found, index, 1: name} of template.matchAll(/\{\{\{\s*(\w{1,50})\s*\}\}\}|\{\{/g)) {
		if (name === undefined) {
			const line = template.slice(0, index).split('\n').length;
			throw new TemplateProblem(
				`At line ${line}, "{{" does not begin a variable such as {{{NAME}}}. Names have at most 50 letters, digits and "_".`,
			);
		}

		yield {name, start: index, length: found.length};
	}
}
