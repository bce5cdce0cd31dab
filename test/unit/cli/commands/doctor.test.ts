import {expect, test} from 'vitest';
import {refusalCheck} from '../../../../src/cli/commands/doctor.js';
import {ApiError} from '../../../../src/client/errors.js';
import {refusalBody} from '../../../helpers/bodies.js';
import {fakeContext} from '../../../helpers/context.js';

const check = async (list: () => Promise<ReturnType<typeof refusalBody>[]>) =>
	refusalCheck(fakeContext({refusals: {list}}).context).run();

test('doctor reports the number of recent refusals and the latest refusal', async () => {
	expect(await check(async () => [])).toBe('none in the last hour');
	const old = refusalBody({time: '2026-01-01T10:59:00.000Z'});
	expect(await check(async () => [old])).toBe('none in the last hour');
	expect(await check(async () => [refusalBody(), refusalBody(), old])).toBe(
		'2 in the last hour, most recent just now: RCPT <nobody@tinbox.test>: no such inbox',
	);
});

test('doctor reports refusals as visible only to the operator, and fails on other errors', async () => {
	const failWith = (status: number, code: string) => async () =>
		Promise.reject(new ApiError({status, code, detail: 'No.'}));
	expect(await check(failWith(403, 'forbidden'))).toBe('visible only to the operator');
	await expect(check(failWith(500, 'internal'))).rejects.toThrow('No.');
});
