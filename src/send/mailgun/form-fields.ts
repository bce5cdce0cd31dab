import {Unsent} from '../../domain/mail/sending.js';
import type {SendRequest} from '../provider.js';
import {type FormField, readMultipart} from './multipart.js';

export const multipart = 'multipart/form-data';
export const urlEncoded = 'application/x-www-form-urlencoded';

/** Of one form. */
const maxFields = 10_000;

/** The fields of a request. A name may be there several times. */
export class FormFields {
	readonly #fields: readonly FormField[];

	constructor(fields: readonly FormField[]) {
		this.#fields = fields;
	}

	get names(): readonly string[] {
		return [...new Set(this.#fields.map(({name}) => name))];
	}

	/** The first that is not empty. */
	text(name: string): string | undefined {
		return this.texts(name).find(text => text !== '');
	}

	/** No files. */
	texts(name: string): readonly string[] {
		return this.#fields
			.filter(field => field.name === name && field.filename === undefined)
			.map(({value}) => value.toString());
	}

	files(name: string): ReadonlyArray<FormField & {readonly filename: string}> {
		return this.#fields.flatMap(field =>
			field.name === name && field.filename !== undefined ? [{...field, filename: field.filename}] : [],
		);
	}

	/** The texts of all fields whose names begin so, by what follows. */
	withPrefix(prefix: string): ReadonlyArray<readonly [name: string, text: string]> {
		return this.#fields
			.filter(({name, filename}) => name.startsWith(prefix) && filename === undefined)
			.map(({name, value}) => [name.slice(prefix.length), value.toString()] as const);
	}
}

/** Throws that a body is `malformed`. */
export function readForm({headers, body}: Pick<SendRequest, 'headers' | 'body'>): FormFields {
	const type = headers['content-type'] ?? '';
	if (!type.toLowerCase().startsWith(multipart)) {
		return new FormFields(readUrlEncoded(body));
	}

	const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
	const fields = readMultipart(body, quoted ?? plain ?? '', maxFields);
	if (!fields) {
		throw malformed('malformed multipart/form-data request');
	}

	return new FormFields(fields);
}

function readUrlEncoded(body: Buffer): readonly FormField[] {
	const text = body.toString();
	if (text.split('&', maxFields + 1).length > maxFields) {
		throw malformed(`unable to parse request: more than ${maxFields} fields`);
	}

	return [...new URLSearchParams(text)].map(([name, value]) => ({
		name,
		value: Buffer.from(value),
		filename: undefined,
		contentType: '',
	}));
}

function malformed(detail: string): Unsent {
	return new Unsent({type: 'malformed', detail});
}
