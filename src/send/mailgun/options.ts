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
	'o:archive-to': 'nothing is sent on',
	'o:deliver-within': 'it is there at once',
	'o:deliverytime': 'it is there at once',
	'o:deliverytime-optimize-period': 'it is there at once',
	'o:dkim': 'nothing is signed',
	'o:require-tls': 'nothing is sent on',
	'o:secondary-dkim': 'nothing is signed',
	'o:secondary-dkim-public': 'nothing is signed',
	'o:sending-ip': 'nothing is sent on',
	'o:sending-ip-pool': 'nothing is sent on',
	'o:skip-verification': 'nothing is sent on',
	'o:suppress-headers': 'Mailgun’s own headers are not added',
	'o:testmode': 'Mailgun would have delivered this mail to nobody',
	'o:time-zone-localize': 'it is there at once',
	'o:tracking': 'links stay as they are, and no picture is added',
	'o:tracking-clicks': 'links stay as they are',
	'o:tracking-opens': 'no picture is added',
	'o:tracking-pixel-location-top': 'no picture is added',
	't:text': 'the text is not made from the template',
	't:version': 'a template has one version',
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
		...(isUnused ? ['"t:variables" does nothing without "template".'] : []),
		...asked.map(([name, meaning]) => `"${name}" is not done here: ${meaning}.`),
		...(named.length > 0 ? [`Mailgun knows no field ${named.join(', ')}${more}: nothing was done with it.`] : []),
	];
}
