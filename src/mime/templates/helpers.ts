import type {HelperDelegate, HelperOptions} from 'handlebars';
import {formatDate} from './format-date.js';

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
const length: HelperDelegate = (value: unknown) =>
	typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/** Those of dynamic templates, as SendGrid documents them. */
export const sendgridHelpers: Helpers = {
	equals: condition(areEqual),
	notEquals: condition((one, other) => !areEqual(one, other)),
	greaterThan: condition((one, other) => Number(one) > Number(other)),
	lessThan: condition((one, other) => Number(one) < Number(other)),
	and: condition((...values) => values.every(Boolean)),
	or: condition((...values) => values.some(Boolean)),
	length,
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
	length,
};

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
