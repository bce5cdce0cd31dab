import {describe, expect, test} from 'vitest';
import {requestId, traceIdOf} from '../../../src/http/server/problems.js';
import {openTinbox} from '../../helpers/tinbox.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

function withTrace(traceparent: string) {
	return {headers: {traceparent}};
}

test.each([`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `cc-${trace}-${span}-01-what-the-future-will-be-like`])(
	'a request has the id of its trace: %s',
	traceparent => {
		expect(traceIdOf(withTrace(traceparent))).toBe(trace);
		expect(requestId(withTrace(traceparent))).toBe(trace);
	},
);

test.each([
	'',
	trace,
	`ff-${trace}-${span}-01`,
	`00-${'0'.repeat(32)}-${span}-01`,
	`00-${trace}-${'0'.repeat(16)}-01`,
	`00-${trace.toUpperCase()}-${span}-01`,
	`00-${trace}-${span}-01-more`,
	`cc-${trace}-${span}-01.more`,
	`00-${trace}-${span}-01, 00-${trace}-${span}-01`,
	`00-${trace}-${span}-01\u001b[2J`,
])('an invalid traceparent is ignored: %j', traceparent => {
	expect(traceIdOf(withTrace(traceparent))).toBeUndefined();
	expect(requestId(withTrace(traceparent))).toMatch(/^[\da-f]{32}$/);
});

describe('the log', () => {
	test('contains the id that the response of a failed request has', async () => {
		const broken = async () => Promise.reject(new TypeError('x is not a function'));
		const tinbox = await openTinbox({wrapStore: store => ({...store, teams: {...store.teams, listOf: broken}})});
		const {key} = await tinbox.user('ann');
		const failRequest = async (headers: Record<string, string>) => {
			const response = await fetch(`${tinbox.url}/inboxes`, {headers: {'X-API-Key': key, ...headers}});
			expect(response.status).toBe(500);
			return ((await response.json()) as {detail: string}).detail;
		};
		expect(await failRequest({traceparent: `00-${trace}-${span}-01`})).toContain(
			`See the log of the daemon for request ${trace}.`,
		);
		const [, name] = /See the log of the daemon for request (\w{32})\.$/.exec(await failRequest({})) ?? [];
		expect(tinbox.logged).toMatchObject([
			{fields: {request: trace, path: '/v1/inboxes'}, message: 'Request failed unexpectedly'},
			{fields: {request: name}},
		]);
	});

	test('contains the trace of a request that a sending API rejected', async () => {
		const lines: object[] = [];
		const tinbox = await openTinbox({info: fields => lines.push(fields)});
		const headers = {'Content-Type': 'application/json', traceparent: `00-${trace}-${span}-01`};
		await fetch(`${tinbox.url}/send`, {method: 'POST', headers, body: '{}'});
		expect(lines).toContainEqual(expect.objectContaining({request: trace, reply: null}));
	});
});
