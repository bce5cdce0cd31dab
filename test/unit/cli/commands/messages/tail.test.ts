import {expect, test, vi} from 'vitest';
import {tailMessages} from '../../../../../src/cli/commands/messages/wait.js';
import {ApiError} from '../../../../../src/client/errors.js';
import type {EventBody} from '../../../../../src/contract/events.js';
import type {MessageSummaryBody} from '../../../../../src/contract/messages.js';
import {inboxBody} from '../../../../helpers/bodies.js';
import {fakeContext} from '../../../../helpers/context.js';

const message: MessageSummaryBody = {
	id: 'm1',
	inbox_id: 'in1',
	from: 'ann@example.com',
	from_name: null,
	to: 'signup@tinbox.test',
	subject: 'Hello \x1b[2Jthere',
	size: 100,
	received_at: '2026-01-01T11:59:00.000Z',
};

const received = (fields: Partial<MessageSummaryBody> = {}): EventBody => ({
	type: 'message.received',
	message: {...message, ...fields},
	message_count: 1,
});

/** A feed that sends these events on each connection and then ends it; the last connection stays open. */
function feed(...connections: ReadonlyArray<readonly EventBody[]>) {
	let opened = 0;
	return {
		async *follow(signal: AbortSignal) {
			const events = connections[opened++] ?? [];
			for (const [index, event] of events.entries()) {
				yield {id: String(index), event};
			}

			if (opened >= connections.length) {
				await new Promise(resolve => signal.addEventListener('abort', resolve));
			}
		},
	};
}

async function tail(
	{inboxes: wanted, json}: {readonly inboxes: readonly string[]; readonly json?: readonly string[]},
	events: ReturnType<typeof feed>,
	until: (written: {stdout: string; stderr: string}) => void,
	terminal = {},
) {
	const inboxes = {
		async get(id: string) {
			if (id === 'gone') {
				throw new ApiError({status: 404, code: 'not_found', detail: 'It is gone.'});
			}

			return inboxBody({id, email_address: 'signup@tinbox.test', name: 'signup'});
		},
	};
	const {context, written} = fakeContext({events, inboxes}, {terminal});
	const stop = new AbortController();
	const running = tailMessages(wanted, json, context, stop.signal);
	await vi.waitFor(() => until(written), 5000);
	stop.abort();
	await running;
	return written;
}

const ready: EventBody = {type: 'ready', resumed: false};

test('tail prints one line per received message without control characters', async () => {
	const written = await tail({inboxes: []}, feed([ready, received(), received({id: 'm2'})]), ({stdout}) =>
		expect(stdout.split('\n')).toHaveLength(3),
	);
	expect(written).toEqual({
		stdout: [
			'2026-01-01T11:59:00.000Z\tsignup@tinbox.test\tann@example.com\tHello there\tm1\n',
			'2026-01-01T11:59:00.000Z\tsignup@tinbox.test\tann@example.com\tHello there\tm2\n',
		].join(''),
		stderr: '',
	});
});

test('tail prints the time of day and the current inbox name or address on a terminal', async () => {
	const renamed = inboxBody({id: 'in1', email_address: 'signup@tinbox.test', name: 'login'});
	const events = [
		ready,
		received(),
		{type: 'inbox.changed', inbox: renamed} as const,
		received(),
		received({inbox_id: 'gone'}),
	];
	const {stdout} = await tail({inboxes: []}, feed(events), written => expect(written.stdout).toMatch(/(?:.*\n){3}/), {
		isTTY: true,
	});
	const time = new Date(message.received_at).toTimeString().slice(0, 8);
	expect(stdout.split('\n')).toEqual([
		`${time}  signup  ann@example.com  Hello there  m1`,
		`${time}  login  ann@example.com  Hello there  m1`,
		`${time}  signup@tinbox.test  ann@example.com  Hello there  m1`,
		'',
	]);
});

test('tail --json prints one object per line, also on a terminal, or only the selected fields', async () => {
	const whole = await tail(
		{inboxes: [], json: []},
		feed([ready, received()]),
		({stdout}) => expect(stdout).not.toBe(''),
		{
			isTTY: true,
		},
	);
	expect(
		whole.stdout
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line)),
	).toEqual([message]);
	const some = await tail({inboxes: [], json: ['id']}, feed([ready, received()]), ({stdout}) =>
		expect(stdout).not.toBe(''),
	);
	expect(some.stdout).toBe('{"id":"m1"}\n');
});

test('tail of named inboxes prints only their messages', async () => {
	const other = received({id: 'm0', inbox_id: 'in2'});
	const {stdout} = await tail({inboxes: ['in1'], json: ['id']}, feed([ready, other, received()]), written =>
		expect(written.stdout).not.toBe(''),
	);
	expect(stdout).toBe('{"id":"m1"}\n');
});

test('tail reconnects after a connection loss and warns of possibly missing messages', async () => {
	const {stderr} = await tail(
		{inboxes: [], json: ['id']},
		feed([ready], [{type: 'ready', resumed: true}], [ready, received()]),
		({stdout}) => expect(stdout).not.toBe(''),
	);
	expect(stderr).toBe(
		[
			'Lost the connection to the daemon; reconnecting.',
			'Reconnected.',
			'Lost the connection to the daemon; reconnecting.',
			'Reconnected; some messages may be missing.',
			'',
		].join('\n'),
	);
});

test('tail ends if the daemon rejects the request', async () => {
	const refused = new ApiError({status: 401, code: 'unauthorized', detail: 'The API key was revoked.'});
	const events = {
		follow() {
			throw refused;
		},
	};
	const {context} = fakeContext({events});
	await expect(tailMessages([], undefined, context)).rejects.toBe(refused);
});
