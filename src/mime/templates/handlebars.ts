import Handlebars from 'handlebars';
import {type TemplateForm, TemplateProblem} from './template-form.js';

/** What a provider makes of Handlebars. */
export type Dialect = {
	/** Besides those that Handlebars has; none may bring anything but the values it is given. */
	readonly helpers: Readonly<Record<string, Handlebars.HelperDelegate>>;
	/** Whether `{{name}}` is written for HTML. */
	readonly escapes: boolean;
	/** What is said of a value that is not there; undefined where it is empty. */
	readonly missing?: (name: string) => string;
};

/** Handlebars, without a way to prototypes, to the console, and to helpers that the provider does not have. */
export function handlebarsForm({helpers, escapes, missing}: Dialect): TemplateForm {
	const engine = Handlebars.create();
	engine.registerHelper(helpers);
	const known = Object.fromEntries(Object.keys(helpers).map(name => [name, true]));
	const options = {
		noEscape: !escapes,
		strict: missing !== undefined,
		// A partial that is indented would be copied once for each.
		preventIndent: true,
		knownHelpersOnly: true,
		knownHelpers: {...known, log: false},
	};
	const asProblem = <T>(work: () => T): T => {
		try {
			return work();
		} catch (error) {
			throw error instanceof Handlebars.Exception || isOfParser(error) ? problemOf(error, missing) : error;
		}
	};
	return {
		check: template =>
			asProblem(() => {
				engine.precompile(template, options);
				const partials = new Partials();
				partials.accept(engine.parse(template));
				partials.assertKnown();
			}),
		fill: (template, data) =>
			asProblem(() =>
				engine.compile(template, options)(data, {
					allowProtoPropertiesByDefault: false,
					allowProtoMethodsByDefault: false,
				}),
			),
	};
}

/** The partials of a template: those that it uses, and those that it defines itself, before or behind that. */
class Partials extends Handlebars.Visitor {
	readonly #used: Array<{readonly name: string; readonly line: number}> = [];
	readonly #defined = new Set(['@partial-block']);

	override DecoratorBlock(block: hbs.AST.DecoratorBlock): void {
		const [name] = block.params as ReadonlyArray<{readonly original?: unknown} | undefined>;
		this.#defined.add(String(name?.original));
		super.DecoratorBlock(block);
	}

	override PartialStatement({name, loc}: hbs.AST.PartialStatement): void {
		if ('original' in name) {
			this.#used.push({name: String(name.original), line: loc.start.line});
		}
	}

	/** Throws `TemplateProblem`. */
	assertKnown(): void {
		const unknown = this.#used.find(({name}) => !this.#defined.has(name));
		if (unknown) {
			throw new TemplateProblem(`It uses an unknown partial: ${cut(unknown.name)} (line ${unknown.line}).`);
		}
	}
}

/** Its parser throws errors of its own. */
function isOfParser(error: unknown): error is Error {
	return error instanceof Error && /^(?:Parse|Lexical) error/.test(error.message);
}

function problemOf({message}: Error, missing: Dialect['missing']): TemplateProblem {
	const [, helper, place] = /used the unknown helper (.*) - (\d+:\d+)$/s.exec(message) ?? [];
	if (helper !== undefined) {
		return new TemplateProblem(`It uses an unknown helper: ${cut(helper)} (line ${place?.split(':')[0]}).`);
	}

	const [, name] = /^"(.*)" not defined in /s.exec(message) ?? [];
	if (missing && name !== undefined) {
		return new TemplateProblem(missing(cut(name)));
	}

	return new TemplateProblem(`It cannot be parsed: ${cut(message.split('\n')[0] ?? '').replace(/[.:]$/, '')}.`);
}

function cut(text: string): string {
	return text.slice(0, 200);
}
