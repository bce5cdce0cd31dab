import {describe, expect, test} from 'vitest';
import type {Client} from '../../../../../src/client/index.js';
import {inboxFaultStages} from '../../../../../src/contract/constants.js';
import {faultPresets, presetNames} from '../../../../../src/contract/fault-presets.js';
import type {CreateFault} from '../../../../../src/contract/faults.js';
import {faultBody, faultHitBody, inboxBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

type Faults = Client['faults'];

const inboxes = {get: async () => inboxBody()};

async function runFaults(args: readonly string[], calls: Partial<Faults> = {}, isTTY = false) {
	return runFake(['faults', ...args], {inboxes, faults: calls}, {terminal: {isTTY, columns: 120}});
}

/** Runs `faults add`; returns its result and the create request that it sent. */
async function addFault(...args: readonly string[]) {
	const requests: Array<{readonly inboxId: string | null; readonly fault: CreateFault}> = [];
	const result = await runFaults(['add', ...args], {
		create: async (inboxId, fault) => {
			requests.push({inboxId, fault});
			return faultBody({...fault, id: 'fault-9'} as Partial<ReturnType<typeof faultBody>>);
		},
	});
	return {...result, ...requests[0]};
}

describe('faults add', () => {
	test.each(Object.entries(faultPresets))(
		'creates the fault of the preset %s under its name',
		async (name, {fault}) => {
			const isInboxFault = inboxFaultStages.some(stage => stage === fault.stage);
			const {exitCode, stdout, ...request} = await addFault(isInboxFault ? 'signup' : '--daemon', name);
			expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'fault-9\n'});
			expect(request).toMatchObject({inboxId: isInboxFault ? 'inbox-1' : null, fault: {...fault, name}});
		},
	);

	test('has a flag for each field', async () => {
		const flags = {
			'--stage': 'end',
			'--reply': '451 4.3.0 Later',
			'--times': '3',
			'--after': '2',
			'--per': 'message',
			'--delay': '1m30s',
			'--byte-delay': '200ms',
			'--drop': 'after-commit',
			'--rate': '10/1m',
			'--probability': '0.25',
			'--seed': '7',
			'--ttl': '2h',
			'--from': '/^ann/',
			'--to': 'b',
			'--subject': 'c',
			'--user': 'd',
			'--name': 'mine',
		};
		const {exitCode, fault} = await addFault('signup', ...Object.entries(flags).flat());
		expect({exitCode, fault}).toEqual({
			exitCode: 0,
			fault: {
				stage: 'end',
				reply: '451 4.3.0 Later',
				times: 3,
				after: 2,
				per: 'message',
				delay_ms: 90_000,
				byte_delay_ms: 200,
				drop: 'after_commit',
				rate: {count: 10, seconds: 60},
				probability: 0.25,
				seed: 7,
				ttl: 7200,
				match: {from: '/^ann/', to: 'b', subject: 'c', user: 'd'},
				name: 'mine',
			},
		});
	});

	test('overrides only the preset fields whose flags are set', async () => {
		expect((await addFault('signup', 'greylist', '--times', '2', '--name', 'slow')).fault).toEqual({
			stage: 'rcpt',
			reply: '451 4.7.1 Greylisted, try again later',
			times: 2,
			per: 'recipient',
			name: 'slow',
		});
		expect((await addFault('signup', 'rate-limit', '--rate', '2/s')).fault?.rate).toEqual({count: 2, seconds: 1});
	});

	test.each<{args: string; message: string}>([
		{
			args: 'signup greylist --rate 10',
			message: 'Invalid --rate "10". It must be <count>/<duration>',
		},
		{args: 'signup greylist --rate 10/0s', message: 'It must be <count>/<duration>, such as 10/1m'},
		{args: 'signup greylist --rate 0/1m', message: 'It must be <count>/<duration>, such as 10/1m'},
		{args: 'signup greylist --rate 10/soon', message: 'It must be <count>/<duration>, such as 10/1m'},
		{
			args: 'signup greylist --delay soon',
			message: 'Invalid --delay "soon". It must be a duration of at most 5m, such as',
		},
		{args: 'signup greylist --rate 251/1m', message: 'such as 10/1m: a count of at most 250'},
		{args: 'signup greylist --rate 10/2d', message: 'and whole seconds, from 1s to 1d.'},
		{
			args: 'signup greylist --delay 6m',
			message: 'Invalid --delay "6m". It must be a duration of at most 5m, such as',
		},
		{args: 'signup greylist --byte-delay 11s', message: 'It must be a duration of at most 10s, such as'},
		{args: 'signup greylist --times 0', message: 'Invalid --times "0". It must be a whole number'},
		{args: 'signup greylist --probability often', message: 'Invalid --probability "often".'},
		{args: 'signup greylist --per inbox', message: 'Supported: recipient, message.'},
		{args: 'signup greylist --drop late', message: 'Supported: before, mid, after-commit.'},
		{args: 'signup greylist --stage quit', message: 'Supported: connect, helo, starttls,'},
		{args: 'signup graylist', message: `There is no preset "graylist".\nThe presets are ${presetNames.join(', ')}.`},
		{args: 'signup constructor', message: 'There is no preset "constructor".'},
		{args: 'signup', message: 'Specify a preset, or use --stage with at least one effect'},
		{args: 'signup --reply 451', message: 'Specify a preset, or use --stage with at least one effect'},
		{
			args: 'greylist',
			message: 'Specify an inbox before "greylist".\nFor all connections, use --daemon instead of the inbox.',
		},
		{args: '--stage rcpt --reply 451', message: 'Specify an inbox by its id, address or name.'},
		{args: 'signup greylist --daemon', message: 'Specify an inbox or use --daemon, not both.'},
		{args: 'signup tls-fail', message: 'To add the fault for all connections: tinbox faults add --daemon tls-fail'},
		{args: 'signup --stage helo --reply 550', message: 'tinbox faults add --daemon --stage helo'},
	])('rejects $args with an error that says how to correct it', async ({args, message}) => {
		const {exitCode, stdout, stderr, fault} = await addFault(...args.split(' '));
		expect({exitCode, stdout, fault}).toEqual({exitCode: 2, stdout: '', fault: undefined});
		expect(stderr).toContain(message);
	});

	test('explains why a fault before login cannot belong to an inbox', async () => {
		expect((await addFault('signup', 'tls-fail')).stderr).toContain(
			'the inbox of a connection is unknown until the client logs in',
		);
	});
});

describe('inbox create --fault', () => {
	const create = async (...presets: readonly string[]) => {
		const created: unknown[] = [];
		const result = await runFake(['inbox', 'create', ...presets.flatMap(name => ['--fault', name])], {
			inboxes: {
				create: async () => {
					created.push('inbox');
					return {...inboxBody(), smtp: null};
				},
			},
			faults: {
				create: async (inboxId, fault) => {
					created.push({inboxId, name: fault.name});
					return faultBody();
				},
			},
		});
		return {...result, created};
	};

	test('adds each preset as a fault of the new inbox', async () => {
		expect(await create('greylist', 'mailbox-full')).toEqual({
			exitCode: 0,
			stdout: 'signup@tinbox.test\n',
			stderr: '',
			created: ['inbox', {inboxId: 'inbox-1', name: 'greylist'}, {inboxId: 'inbox-1', name: 'mailbox-full'}],
		});
	});

	test.each(['graylist', 'tls-fail'])('rejects the preset %s before it creates the inbox', async name => {
		const {exitCode, stderr, created} = await create('greylist', name);
		expect({exitCode, created}).toEqual({exitCode: 2, created: []});
		expect(stderr).toContain(name);
	});
});

test('run --fault rejects an unknown preset before it starts a daemon', async () => {
	const {exitCode, stderr} = await runFake(['run', '--fault', 'graylist', 'true']);
	expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringContaining('There is no preset "graylist".')});
});

describe('faults list', () => {
	const list: Faults['list'] = async inboxId => [
		faultBody({seen: 3, hit_count: 1}),
		faultBody({
			id: 'fault-2',
			inbox_id: inboxId,
			name: null,
			stage: 'end',
			match: {from: null, to: null, subject: 'Order\x1b[31m', user: null} as never,
			reply: null,
			times: null,
			per: null,
			delay_ms: 5000,
			drop: 'after_commit',
		}),
	];

	test('prints the effect, the matches and the hits of each fault', async () => {
		const {stdout} = await runFaults(['list', 'signup'], {list}, true);
		const [header, first, second] = stdout.split('\n');
		expect(header).toMatch(/^NAME +STAGE +EFFECT +SEEN +HITS +ID$/);
		expect(first).toMatch(/^greylist +rcpt +451 4\.7\.1 Greylisted, .*once per recipient +3 +1 +fault-1$/);
		expect(second).toContain('delayed by 5s; kept, then dropped without a reply; if subject matches "Order');
		expect(stdout).not.toContain('\x1b');
	});

	test('lists daemon faults with --daemon and prints the API response with --json', async () => {
		const {stdout} = await runFaults(['list', '--daemon', '--json'], {list});
		expect(JSON.parse(stdout)).toMatchObject({faults: [{id: 'fault-1'}, {id: 'fault-2', inbox_id: null}]});
	});

	test('says how to add a fault if the list is empty', async () => {
		const {stderr} = await runFaults(['list', 'signup'], {list: async () => []}, true);
		expect(stderr).toContain('Add one: tinbox faults add signup@tinbox.test <preset>');
	});
});

describe('faults clear', () => {
	const list: Faults['list'] = async () => [
		faultBody(),
		faultBody({id: 'fault-2', name: 'twice'}),
		faultBody({id: 'long-fault-id-3', name: 'twice'}),
	];

	async function clearFaults(...args: readonly string[]) {
		const deleted: string[] = [];
		const result = await runFaults(['clear', ...args], {
			list,
			delete: async (_, id) => void deleted.push(id),
			deleteAll: async () => void deleted.push('all'),
		});
		return {...result, deleted};
	}

	test('deletes all faults, or only the named one', async () => {
		expect(await clearFaults('signup')).toMatchObject({
			deleted: ['all'],
			stderr: 'Deleted 3 faults of signup@tinbox.test.\n',
		});
		expect(await clearFaults('--daemon', 'greylist')).toMatchObject({
			deleted: ['fault-1'],
			stderr: 'Deleted the fault greylist of the daemon.\n',
		});
		expect((await clearFaults('signup', 'fault-id-3')).deleted).toEqual(['long-fault-id-3']);
	});

	test('deletes nothing if the name is ambiguous or unknown', async () => {
		const ambiguous = await clearFaults('signup', 'twice');
		expect(ambiguous).toMatchObject({exitCode: 2, deleted: []});
		expect(ambiguous.stderr).toContain('Use the id of one of them:\n  fault-2\n  long-fault-id-3');
		const unknown = await clearFaults('signup', 'tarpit');
		expect(unknown).toMatchObject({exitCode: 5, deleted: []});
		expect(unknown.stderr).toContain('signup@tinbox.test has no fault "tarpit".');
		expect(unknown.stderr).toContain(
			'Its faults: greylist, twice. Add one: tinbox faults add signup@tinbox.test tarpit',
		);
	});
});

test('faults hits prints one line per hit, of all faults or of one fault', async () => {
	const requests: unknown[] = [];
	const hits: Faults['hits'] = async (inboxId, {fault, page = 1, limit = 20} = {}) => {
		requests.push([inboxId, fault]);
		const rows = [faultHitBody(), faultHitBody({id: 'hit-2', fault_id: null, name: null, reply: null, drop: 'before'})];
		return {hits: rows, total: 2, page, limit};
	};
	const {stdout} = await runFaults(['hits', 'signup'], {hits});
	expect(stdout.split('\n')).toEqual([
		'2026-01-01T11:59:58.000Z\tgreylist\t127.0.0.1\tshop@example.com\tsignup@tinbox.test\tanswered 451 4.7.1 Greylisted, try again later',
		'2026-01-01T11:59:58.000Z\taddress\t127.0.0.1\tshop@example.com\tsignup@tinbox.test\tdropped without a reply',
		'',
	]);
	const list = async () => [faultBody()];
	const {stdout: json} = await runFaults(['hits', '--daemon', 'greylist', '--json'], {hits, list});
	expect(JSON.parse(json)).toMatchObject({hits: [{id: 'hit-1'}, {id: 'hit-2'}], total: 2, page: 1, limit: 20});
	expect(requests).toEqual([
		['inbox-1', undefined],
		[null, 'fault-1'],
	]);
});
