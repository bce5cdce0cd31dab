import Handlebars, {type HelperDelegate, type HelperOptions} from 'handlebars';
import {type TemplateForm, TemplateProblem} from './template-form.js';

/** What a provider makes of Handlebars. */
type Dialect = {
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

const monthNames = 'January February March April May June July August September October November December'.split(' ');
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Numbers up to here are seconds, above it milliseconds. */
const maxSeconds = 100_000_000_000;

/**
 * A time, in seconds or milliseconds or as ISO 8601 writes it, by a format as SendGrid's `formatDate` takes it, at a place of
 * that offset, such as `-0800`. What is no time stays as it is.
 */
function formatDate(time: unknown, format: string, offset: string): string {
	const ms = readTime(time);
	if (Number.isNaN(ms)) {
		return String(time ?? '');
	}

	const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
	const minutesAway = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
	const date = new Date(ms + minutesAway * 60_000);
	const two = (value: number) => String(value).padStart(2, '0');
	const year = String(date.getUTCFullYear());
	const [month, day, hour] = [date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
	const ofHalfDay = hour % 12 === 0 ? 12 : hour % 12;
	const parts: Readonly<Record<string, string>> = {
		YYYY: year,
		YY: year.slice(-2),
		MMMM: monthNames[month] ?? '',
		MMM: monthNames[month]?.slice(0, 3) ?? '',
		MM: two(month + 1),
		M: String(month + 1),
		DD: two(day),
		D: String(day),
		dddd: dayNames[date.getUTCDay()] ?? '',
		ddd: dayNames[date.getUTCDay()]?.slice(0, 3) ?? '',
		hh: two(ofHalfDay),
		h: String(ofHalfDay),
		HH: two(hour),
		H: String(hour),
		mm: two(date.getUTCMinutes()),
		m: String(date.getUTCMinutes()),
		ss: two(date.getUTCSeconds()),
		s: String(date.getUTCSeconds()),
		A: hour < 12 ? 'AM' : 'PM',
		ZZ: `${sign}${hours}${minutes}`,
		Z: `${sign}${hours}:${minutes}`,
	};
	return format.replaceAll(/YYYY|YY|M{1,4}|DD?|d{3,4}|hh?|HH?|mm?|ss?|A|ZZ?/g, token => parts[token] ?? token);
}

function readTime(time: unknown): number {
	const number = typeof time === 'string' && /^\d+$/.test(time) ? Number(time) : time;
	const ms = typeof number === 'number' ? (number < maxSeconds ? number * 1000 : number) : Date.parse(String(number));
	// Beyond what a date can be there is none.
	return new Date(ms).getTime();
}

type Helpers = Readonly<Record<string, HelperDelegate>>;

/** A helper that shows its block, or what stands behind `{{else}}`; without a block it is the answer itself. */
function condition(holds: (...values: readonly unknown[]) => boolean): HelperDelegate {
	return function (this: unknown, ...values: unknown[]) {
		const {fn, inverse} = values.pop() as HelperOptions;
		const answer = holds(...values);
		return fn === undefined ? answer : answer ? fn(this) : inverse(this);
	};
}

const areEqual = (one: unknown, other: unknown) => textOf(one) === textOf(other);

/** As a text, so that 3 and "3" are the same. */
function textOf(value: unknown): string {
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Of a text or a list; 0 for everything else. */
const lengthHelper: HelperDelegate = (value: unknown) =>
	typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/** Those of dynamic templates, as SendGrid documents them. */
export const sendgridHelpers: Helpers = {
	equals: condition(areEqual),
	notEquals: condition((one, other) => !areEqual(one, other)),
	greaterThan: condition((one, other) => Number(one) > Number(other)),
	lessThan: condition((one, other) => Number(one) < Number(other)),
	and: condition((...values) => values.every(Boolean)),
	or: condition((...values) => values.some(Boolean)),
	length: lengthHelper,
	insert: (value: unknown, fallback: unknown) =>
		isEmpty(value) && typeof fallback === 'string' ? fallback.replace(/^default=/, '') : value,
	formatDate: (time: unknown, format: unknown, offset: unknown) =>
		formatDate(time, String(format), typeof offset === 'string' ? offset : ''),
};

/** Those that Mailgun's templates have besides the usual ones. */
export const mailgunHelpers: Helpers = {
	equal: condition(areEqual),
	ifEq: condition((one, other) => Number(one) === Number(other)),
	ifGt: condition((one, other) => Number(one) > Number(other)),
	ifLt: condition((one, other) => Number(one) < Number(other)),
	pluralize: (count: unknown, plural: unknown, singular: unknown) => (Number(count) > 1 ? plural : singular),
	length: lengthHelper,
};

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
