import {errorCode} from '../lib/errors.js';

/** A kit was loaded where its test framework is not: says so, and what to do. Anything else is thrown as it is. */
export function withoutFramework(kit: string, framework: string, error: unknown): never {
	throw /MODULE_NOT_FOUND$/.test(errorCode(error) ?? '')
		? new Error(`${kit} requires ${framework}, which is not installed.`, {cause: error})
		: error;
}
