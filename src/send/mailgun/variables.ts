import {Unsent} from '../../domain/mail/sending.js';
import {readJson} from '../json.js';
import {mailgunError} from './errors.js';

/** The variables in a field, as JSON says them. Throws where it says none. */
export function readVariables(field: string, json: string): Readonly<Record<string, unknown>> {
	const value = parse(field, json);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw notJson(field);
	}

	return {...value};
}

function parse(field: string, json: string): unknown {
	try {
		return readJson(Buffer.from(json));
	} catch (error) {
		throw error instanceof Unsent ? notJson(field) : error;
	}
}

function notJson(field: string) {
	return mailgunError(`'${field}' parameter is not a valid JSON`);
}
