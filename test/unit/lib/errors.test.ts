import {runInNewContext} from 'node:vm';
import {describe, expect, test} from 'vitest';
import {causeOf, errorCode, reasonOf} from '../../../src/lib/errors.js';

/** Creates an error of another realm. Jest runs tests in another realm than Node.js. */
const foreign = (code: string) => runInNewContext(`Object.assign(new Error('It is gone'), {code: '${code}'})`);

describe('an error created in another realm', () => {
	test('keeps its code and its message', () => {
		expect(foreign('ENOENT')).not.toBeInstanceOf(Error);
		expect(errorCode(foreign('ENOENT'))).toBe('ENOENT');
		expect(reasonOf(foreign('ENOENT'))).toBe('It is gone');
	});

	test('is described by its cause', () => {
		expect(causeOf(foreign('EPROTO'))).toBe('the server does not speak TLS');
		const aggregate = runInNewContext('new AggregateError([one])', {one: foreign('ECONNREFUSED')});
		expect(causeOf(aggregate)).toBe('It is gone');
	});
});

test('a value that is not an error has no error code', () => {
	expect(errorCode({code: 'ENOENT'})).toBeUndefined();
	expect(errorCode(undefined)).toBeUndefined();
	expect(reasonOf('late')).toBe('late');
});

test('a validation error is described by its message, not by its field errors', () => {
	const validationError = Object.assign(new Error('"url" is wrong.'), {errors: [{field: 'url', message: 'is wrong'}]});
	expect(causeOf(validationError)).toBe('"url" is wrong.');
});
