import {describe, expect, test} from 'vitest';
import type {Client} from '../../../../../src/client/index.js';
import type {FaultBody, FaultHitBody} from '../../../../../src/contract/faults.js';
import {faultBody, faultHitBody, inboxBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

const clock = new Date('2026-01-01T11:59:58.000Z').toTimeString().slice(0, 8);

/** Runs `faults wait` against a fault named "greylist" with these hits, newest first. */
async function wait(
	args: readonly string[],
	hits: ReadonlyArray<string | FaultHitBody>,
	fault: Partial<FaultBody> = {},
) {
	const requests: unknown[] = [];
	const found = hits.map(hit => (typeof hit === 'string' ? faultHitBody({id: hit}) : hit));
	const waitFor: Client['faults']['wait'] = async (inboxId, limits) => {
		requests.push({inboxId, ...limits});
		return found;
	};
	const body = faultBody({seen: found.length, hit_count: found.length, ...fault});
	const calls = {wait: waitFor, list: async () => [body], get: async () => body};
	const result = await runFake(['faults', 'wait', ...args], {inboxes: {get: async () => inboxBody()}, faults: calls});
	return {...result, requests};
}

describe('faults wait', () => {
	test('prints the hits in the order in which they happened', async () => {
		const {exitCode, stdout, stderr, requests} = await wait(
			['signup', 'greylist', '--count', '2', '--json=id'],
			['b', 'a'],
		);
		expect({exitCode, stdout, stderr}).toEqual({exitCode: 0, stdout: '{"id":"a"}\n{"id":"b"}\n', stderr: ''});
		expect(requests).toEqual([{inboxId: 'inbox-1', fault: 'fault-1', count: 2, timeoutMs: 30_000}]);
		expect((await wait(['--daemon', 'fault-1'], ['a'])).stdout).toBe(
			'2026-01-01T11:59:58.000Z\tgreylist\t127.0.0.1\tshop@example.com\tsignup@tinbox.test\tanswered 451 4.7.1 Greylisted, try again later\n',
		);
	});

	test('exits with 124 on a timeout and reports the hits so far and the number missing', async () => {
		const {exitCode, stdout, stderr} = await wait(['signup', 'greylist', '--count', '3', '--timeout', '0'], ['a'], {
			seen: 5,
		});
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(stderr).toBe(`"greylist" of signup@tinbox.test had 1 hit instead of 3 within 0ms.
  ${clock} 127.0.0.1 (app) at rcpt from <shop@example.com> to <signup@tinbox.test>: answered 451 4.7.1 Greylisted, try again later
2 hits missing. The fault skipped 4 of 5 matches. Fault at rcpt: 451 4.7.1 Greylisted, try again later; once per recipient.
Wait longer with --timeout, or check again: tinbox faults hits signup@tinbox.test greylist
`);
	});

	test('quotes the fault name for the shell in the suggested command', async () => {
		const fault = {name: 'the slow one; $(reboot)'};
		const {stderr} = await wait(['signup', 'fault-1', '--timeout', '0'], [], fault);
		expect(stderr).toContain("tinbox faults hits signup@tinbox.test 'the slow one; $(reboot)'\n");
	});

	test('reports on a timeout why hits are missing', async () => {
		const none = await wait(['--daemon', 'greylist', '--timeout', '0'], []);
		expect(none.stderr).toContain(
			'"greylist" of the daemon had no hits within 0ms.\n1 hit missing. No client reached the stage.',
		);
		const over = await wait(['signup', 'greylist', '--count', '2', '--timeout', '0'], ['a'], {per: null});
		expect(over.stderr).toContain('1 hit missing. The fault reached its limit of 1 hit.');
	});

	test('reports the SMTP user of each hit', async () => {
		const hit = faultHitBody({stage: 'auth', user: 'ann', envelope: {from: null, to: []}, reply: '535 5.7.8 No'});
		const {stderr, stdout} = await wait(['signup', 'greylist', '--count', '2', '--timeout', '0'], [hit]);
		expect(stderr).toContain('127.0.0.1 (app) at auth as ann: answered 535 5.7.8 No\n');
		expect(stdout).toBe('');
		expect((await wait(['signup', 'greylist'], [hit])).stdout).toContain('\t127.0.0.1\tann\t\tanswered 535');
	});

	test('reports a timeout as JSON with --json', async () => {
		const {exitCode, stdout, stderr} = await wait(
			['signup', 'greylist', '--count', '2', '--timeout', '0', '--json'],
			['a'],
		);
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(JSON.parse(stderr)).toMatchObject({
			error: {code: 'timeout', missing: 1, hits: [{id: 'a'}], fault: {name: 'greylist'}},
		});
	});

	test('rejects a missing or unknown fault name without waiting', async () => {
		expect(await wait(['signup'], [])).toMatchObject({exitCode: 2, requests: []});
		const {exitCode, stderr, requests} = await wait(['signup', 'greylst'], []);
		expect({exitCode, requests}).toEqual({exitCode: 5, requests: []});
		expect(stderr).toContain('Its faults: greylist.');
	});
});
