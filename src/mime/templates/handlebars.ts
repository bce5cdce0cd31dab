import Handlebars, {type HelperDelegate, type HelperOptions} from 'handlebars';
import {type TemplateForm, TemplateProblem} from './template-form.js';

/** Variant of Handlebars of a provider. */
type Dialect = {
	/** Additional helpers. They must return nothing but their arguments or text. */
	readonly helpers: Readonly<Record<string, Handlebars.HelperDelegate>>;
	/** True if `{{name}}` is escaped for HTML. */
	readonly escapes: boolean;
	/** Problem of a missing value. If undefined, missing values are empty. */
	readonly missing?: (name: string) => string;
};

/** Creates a Handlebars engine without access to prototypes, the console, and other helpers than the provider's. */
export function handlebarsForm({helpers, escapes, missing}: Dialect): TemplateForm {
	const engine = Handlebars.create();
	engine.registerHelper(helpers);
	const known = Object.fromEntries(Object.keys(helpers).map(name => [name, true]));
	const options = {
		noEscape: !escapes,
		strict: missing !== undefined,
		// Indented partials would be copied for each use.
		preventIndent: true,
		knownHelpersOnly: true,
		knownHelpers: {...known, log: false},
	};
	const asProblem = <T>(work: () => T): T => {
		try {
			return work();
		} catch (error) {
			throw error instanceof Handlebars.Exception || isParserError(error) ? problemOf(error, missing) : error;
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

/** Collects the partials that a template uses and defines. */
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

	/** Throws `TemplateProblem` for a partial that the template does not define. */
	assertKnown(): void {
		const unknown = this.#used.find(({name}) => !this.#defined.has(name));
		if (unknown) {
			throw new TemplateProblem(`It uses an unknown partial: ${cut(unknown.name)} (line ${unknown.line}).`);
		}
	}
}

/** True for errors of the Handlebars parser, which are plain errors. */
function isParserError(error: unknown): error is Error {
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

/** Numbers below this are seconds, others milliseconds. */
const maxSeconds = 100_000_000_000;

/**
 * Formats a time as SendGrid's helper `formatDate` does. `time` is in seconds, milliseconds or ISO 8601; `offset` is a time zone
 * such as `-0800`. Other values are returned unchanged.
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
	// NaN for times outside the range of Date.
	return new Date(ms).getTime();
}

type Helpers = Readonly<Record<string, HelperDelegate>>;

/** Creates a helper that renders its block or its `{{else}}` block. Without a block it returns the result of the condition. */
function condition(holds: (...values: readonly unknown[]) => boolean): HelperDelegate {
	return function (this: unknown, ...values: unknown[]) {
		const {fn, inverse} = values.pop() as HelperOptions;
		const answer = holds(...values);
		return fn === undefined ? answer : answer ? fn(this) : inverse(this);
	};
}

const areEqual = (one: unknown, other: unknown) => textOf(one) === textOf(other);

/** Comparable text of a value: 3 equals "3". */
function textOf(value: unknown): string {
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Length of a string or list; 0 for other values. */
const lengthHelper: HelperDelegate = (value: unknown) =>
	typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/** Helpers of SendGrid's dynamic templates. */
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

/** Additional helpers of Mailgun's templates. */
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
