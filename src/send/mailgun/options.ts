import {isHeader} from '../mail-headers.js';
import {mailgunError} from './errors.js';
import type {FormFields} from './form-fields.js';

/** Of all options with their names. */
const maxBytes = 16 * 1024;

const optionPrefixes = ['o:', 'h:', 'v:', 't:'];

/** How many unknown fields are named, and how much is shown of a name. */
const maxNamed = 20;
const maxNameLength = 100;

/** What Mailgun does for these options, and nobody here. */
const undone: Readonly<Record<string, string>> = {
	'o:archive-to': 'tinbox does not relay mail',
	'o:deliver-within': 'tinbox delivers immediately',
	'o:deliverytime': 'tinbox delivers immediately',
	'o:deliverytime-optimize-period': 'tinbox delivers immediately',
	'o:dkim': 'tinbox does not sign mail',
	'o:require-tls': 'tinbox does not relay mail',
	'o:secondary-dkim': 'tinbox does not sign mail',
	'o:secondary-dkim-public': 'tinbox does not sign mail',
	'o:sending-ip': 'tinbox does not relay mail',
	'o:sending-ip-pool': 'tinbox does not relay mail',
	'o:skip-verification': 'tinbox does not relay mail',
	'o:suppress-headers': 'tinbox does not add the headers of Mailgun',
	'o:testmode': 'Mailgun would not have delivered this mail',
	'o:time-zone-localize': 'tinbox delivers immediately',
	'o:tracking': 'tinbox does not rewrite links or add a tracking pixel',
	'o:tracking-clicks': 'tinbox does not rewrite links',
	'o:tracking-opens': 'tinbox does not add a tracking pixel',
	'o:tracking-pixel-location-top': 'tinbox does not add a tracking pixel',
	't:text': 'tinbox does not generate text from the template',
	't:version': 'templates in tinbox have one version',
};

/** Throws for options that Mailgun does not take. */
export function checkOptions(form: FormFields): void {
	const texts = optionPrefixes.flatMap(prefix => form.withPrefix(prefix));
	const bytes = texts.reduce((sum, [name, text]) => sum + Buffer.byteLength(name) + 2 + Buffer.byteLength(text), 0);
	if (bytes > maxBytes) {
		throw mailgunError('Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total');
	}

	const wrong = form.withPrefix('h:').find(([name]) => !isHeader(name, ''));
	if (wrong) {
		throw mailgunError(`Header name must be pure ASCII: ${wrong[0].slice(0, maxNameLength)}`);
	}

	const time = form.text('o:deliverytime');
	if (time !== undefined && !/^\d+$/.test(time) && Number.isNaN(Date.parse(time))) {
		throw mailgunError(`${time.slice(0, maxNameLength)} is not an RFC-2822 compliant date`);
	}
}

/** Says which options ask for something that is not done here, and which fields nobody knows besides those that are named. */
export function undoneOptions(form: FormFields, known: readonly string[]): readonly string[] {
	const asked = Object.entries(undone).filter(([name]) => !/^(no|false)?$/i.test(form.text(name) ?? ''));
	const unknown = form.names.filter(
		name => !known.includes(name) && !Object.hasOwn(undone, name) && !/^[hv]:./.test(name),
	);
	const named = unknown.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
	const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : '';
	const isUnused = form.text('t:variables') !== undefined && form.text('template') === undefined;
	return [
		...(isUnused ? ['"t:variables" has no effect without "template".'] : []),
		...asked.map(([name, meaning]) => `"${name}" has no effect: ${meaning}.`),
		...(named.length > 0 ? [`Unknown Mailgun fields were ignored: ${named.join(', ')}${more}.`] : []),
	];
}
