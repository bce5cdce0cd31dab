import {runInNewContext} from 'node:vm';
import {describe, expect, test} from 'vitest';
import {causeOf, errorCode, reasonOf} from '../../../src/lib/errors.js';

/** One of another realm, as errors of Node.js are to the tests of Jest. */
const foreign = (code: string) => runInNewContext(`Object.assign(new Error('It is gone'), {code: '${code}'})`);

describe('an error of another realm', () => {
	test('has its code and its message', () => {
		expect(foreign('ENOENT')).not.toBeInstanceOf(Error);
		expect(errorCode(foreign('ENOENT'))).toBe('ENOENT');
		expect(reasonOf(foreign('ENOENT'))).toBe('It is gone');
	});

	test('is told in words', () => {
		expect(causeOf(foreign('EPROTO'))).toBe('the server does not speak TLS');
		const both = runInNewContext('new AggregateError([one])', {one: foreign('ECONNREFUSED')});
		expect(causeOf(both)).toBe('It is gone');
	});
});

test('what is no error has no code', () => {
	expect(errorCode({code: 'ENOENT'})).toBeUndefined();
	expect(errorCode(undefined)).toBeUndefined();
	expect(reasonOf('late')).toBe('late');
});

test('an error that names wrong fields is told by its message', () => {
	const wrong = Object.assign(new Error('"url" is wrong.'), {errors: [{field: 'url', message: 'is wrong'}]});
	expect(causeOf(wrong)).toBe('"url" is wrong.');
});
