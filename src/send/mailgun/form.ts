import {SendError} from '../../domain/mail/sending.js';
import type {SendRequest} from '../provider.js';

export const multipartType = 'multipart/form-data';
export const urlEncodedType = 'application/x-www-form-urlencoded';

/** Maximum number of fields. */
const maxFields = 10_000;

/** Fields of a form. A name can occur several times. */
export class FormFields {
	readonly #fields: readonly FormField[];

	constructor(fields: readonly FormField[]) {
		this.#fields = fields;
	}

	get names(): readonly string[] {
		return [...new Set(this.#fields.map(({name}) => name))];
	}

	/** First non-empty text with this name. */
	text(name: string): string | undefined {
		return this.texts(name).find(text => text !== '');
	}

	/** Texts with this name, without files. */
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

	/** Texts of all fields with this prefix, by the rest of their names. */
	withPrefix(prefix: string): ReadonlyArray<readonly [name: string, text: string]> {
		return this.#fields
			.filter(({name, filename}) => name.startsWith(prefix) && filename === undefined)
			.map(({name, value}) => [name.slice(prefix.length), value.toString()] as const);
	}
}

/** Parses the body of a request. Throws `SendError` with the failure `malformed`. */
export function readForm({headers, body}: Pick<SendRequest, 'headers' | 'body'>): FormFields {
	const type = headers['content-type'] ?? '';
	if (!type.toLowerCase().startsWith(multipartType)) {
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

function malformed(detail: string): SendError {
	return new SendError({type: 'malformed', detail});
}

/** Field of a form. `filename` is set for files. */
type FormField = {
	readonly name: string;
	readonly value: Buffer;
	readonly filename: string | undefined;
	/** `''` if missing. */
	readonly contentType: string;
};

/** Maximum size of the headers of a part. */
const maxHeadBytes = 16 * 1024;

const lineEnd = '\r\n';
const headEnd = '\r\n\r\n';

/**
 * Parses a `multipart/form-data` body (RFC 7578) in linear time; undefined if it is invalid or has more than `maxFields` fields.
 * File names are decoded as browsers, curl, Go and Python encode them.
 */
export function readMultipart(body: Buffer, boundary: string, maxFields: number): readonly FormField[] | undefined {
	const delimiter = `${lineEnd}--${boundary}`;
	const fields: FormField[] = [];
	let end = body.indexOf(delimiter.slice(lineEnd.length));
	let at = end + delimiter.length - lineEnd.length;
	while (boundary !== '' && end !== -1 && fields.length <= maxFields) {
		if (body.toString('latin1', at, at + 2) === '--') {
			return fields;
		}

		const head = body.indexOf(lineEnd, at);
		const value = head === -1 ? -1 : body.indexOf(headEnd, head);
		end = value === -1 ? -1 : body.indexOf(delimiter, value + lineEnd.length);
		at = end + delimiter.length;
		const field = end === -1 || value - head > maxHeadBytes ? undefined : readHead(body.toString('utf8', head, value));
		if (!field) {
			return undefined;
		}

		fields.push({...field, value: body.subarray(value + headEnd.length, Math.max(end, value + headEnd.length))});
	}

	return undefined;
}

function readHead(head: string): Omit<FormField, 'value'> | undefined {
	const headers = new Map(
		head
			.split(lineEnd)
			.map(line => /^([^:]+):(.*)$/s.exec(line))
			.map(match => [match?.[1]?.trim().toLowerCase(), match?.[2]?.trim() ?? ''] as const),
	);
	const disposition = headers.get('content-disposition') ?? '';
	const name = parameter(disposition, 'name');
	if (name === undefined) {
		return undefined;
	}

	const filename = extended(disposition) ?? parameter(disposition, 'filename');
	return {name, filename, contentType: headers.get('content-type') ?? ''};
}

function parameter(disposition: string, name: string): string | undefined {
	const [, quoted, plain] =
		new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'is').exec(disposition) ?? [];
	return quoted?.replace(/\\(["\\])|%(22|0D|0A)/gi, (_, escaped, code) => escaped ?? hexSign(code)) ?? plain;
}

function hexSign(code: string): string {
	return String.fromCharCode(Number.parseInt(code, 16));
}

/** File name in the form `filename*=utf-8''…` (RFC 5987), which older clients use for non-ASCII names. */
function extended(disposition: string): string | undefined {
	const [, encoded] = /;\s*filename\*=utf-8'[^']*'([^\s;]+)/i.exec(disposition) ?? [];
	try {
		return encoded === undefined ? undefined : decodeURIComponent(encoded);
	} catch {
		return undefined;
	}
}
