import {describe, expect, test} from 'vitest';
import type {Client} from '../../../../../src/client/index.js';
import {inboxFaultStages} from '../../../../../src/contract/constants.js';
import {faultPresets, presetNames} from '../../../../../src/contract/fault-presets.js';
import type {CreateFault} from '../../../../../src/contract/faults.js';
import {faultBody, faultHitBody, inboxBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

type Faults = Client['faults'];

const inboxes = {get: async () => inboxBody()};

/** Runs `faults` with these words over these calls. */
async function faults(words: readonly string[], calls: Partial<Faults> = {}, isTTY = false) {
	return runFake(['faults', ...words], {inboxes, faults: calls}, {terminal: {isTTY, columns: 120}});
}

/** What `faults add` asks the daemon for. */
async function added(...words: readonly string[]) {
	const asked: Array<{readonly inboxId: string | null; readonly fault: CreateFault}> = [];
	const result = await faults(['add', ...words], {
		create: async (inboxId, fault) => {
			asked.push({inboxId, fault});
			return faultBody({...fault, id: 'fault-9'} as Partial<ReturnType<typeof faultBody>>);
		},
	});
	return {...result, ...asked[0]};
}

describe('faults add', () => {
	test.each(Object.entries(faultPresets))('%s asks for its fault, under its name', async (name, {fault}) => {
		const isOfInbox = inboxFaultStages.some(stage => stage === fault.stage);
		const {exitCode, stdout, ...asked} = await added(isOfInbox ? 'signup' : '--daemon', name);
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'fault-9\n'});
		expect(asked).toMatchObject({inboxId: isOfInbox ? 'inbox-1' : null, fault: {...fault, name}});
	});

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
		const {exitCode, fault} = await added('signup', ...Object.entries(flags).flat());
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

	test('changes a preset by flags, and only what they say', async () => {
		expect((await added('signup', 'greylist', '--times', '2', '--name', 'slow')).fault).toEqual({
			stage: 'rcpt',
			reply: '451 4.7.1 Greylisted, try again later',
			times: 2,
			per: 'recipient',
			name: 'slow',
		});
		expect((await added('signup', 'rate-limit', '--rate', '2/s')).fault?.rate).toEqual({count: 2, seconds: 1});
	});

	test.each<{words: string; says: string}>([
		{
			words: 'signup greylist --rate 10',
			says: 'Invalid --rate "10". It must be <count>/<duration>',
		},
		{words: 'signup greylist --rate 10/0s', says: 'It must be <count>/<duration>, such as 10/1m'},
		{words: 'signup greylist --rate 0/1m', says: 'It must be <count>/<duration>, such as 10/1m'},
		{words: 'signup greylist --rate 10/soon', says: 'It must be <count>/<duration>, such as 10/1m'},
		{
			words: 'signup greylist --delay soon',
			says: 'Invalid --delay "soon". It must be a duration of at most 5m, such as',
		},
		{words: 'signup greylist --rate 251/1m', says: 'such as 10/1m: a count of at most 250'},
		{words: 'signup greylist --rate 10/2d', says: 'and whole seconds, from 1s to 1d.'},
		{
			words: 'signup greylist --delay 6m',
			says: 'Invalid --delay "6m". It must be a duration of at most 5m, such as',
		},
		{words: 'signup greylist --byte-delay 11s', says: 'It must be a duration of at most 10s, such as'},
		{words: 'signup greylist --times 0', says: 'Invalid --times "0". It must be a whole number'},
		{words: 'signup greylist --probability often', says: 'Invalid --probability "often".'},
		{words: 'signup greylist --per inbox', says: 'Supported: recipient, message.'},
		{words: 'signup greylist --drop late', says: 'Supported: before, mid, after-commit.'},
		{words: 'signup greylist --stage quit', says: 'Supported: connect, helo, starttls,'},
		{words: 'signup graylist', says: `There is no preset "graylist".\nThe presets are ${presetNames.join(', ')}.`},
		{words: 'signup constructor', says: 'There is no preset "constructor".'},
		{words: 'signup', says: 'Specify a preset, or use --stage with at least one effect'},
		{words: 'signup --reply 451', says: 'Specify a preset, or use --stage with at least one effect'},
		{
			words: 'greylist',
			says: 'Specify an inbox before "greylist".\nFor all connections, use --daemon instead of the inbox.',
		},
		{words: '--stage rcpt --reply 451', says: 'Specify an inbox by its id, address or name.'},
		{words: 'signup greylist --daemon', says: 'Specify an inbox or use --daemon, not both.'},
		{words: 'signup tls-fail', says: 'To add the fault for all connections: tinbox faults add --daemon tls-fail'},
		{words: 'signup --stage helo --reply 550', says: 'tinbox faults add --daemon --stage helo'},
	])('$words: says what is wrong, and what to do', async ({words, says}) => {
		const {exitCode, stdout, stderr, fault} = await added(...words.split(' '));
		expect({exitCode, stdout, fault}).toEqual({exitCode: 2, stdout: '', fault: undefined});
		expect(stderr).toContain(says);
	});

	test('says why an inbox cannot have the fault', async () => {
		expect((await added('signup', 'tls-fail')).stderr).toContain(
			'the inbox of a connection is unknown until the client logs in',
		);
	});
});

describe('the preset of a new inbox', () => {
	const create = async (...presets: readonly string[]) => {
		const made: unknown[] = [];
		const result = await runFake(['inbox', 'create', ...presets.flatMap(name => ['--fault', name])], {
			inboxes: {
				create: async () => {
					made.push('inbox');
					return {...inboxBody(), smtp: null};
				},
			},
			faults: {
				create: async (inboxId, fault) => {
					made.push({inboxId, name: fault.name});
					return faultBody();
				},
			},
		});
		return {...result, made};
	};

	test('is a fault of it, and so are several', async () => {
		expect(await create('greylist', 'mailbox-full')).toEqual({
			exitCode: 0,
			stdout: 'signup@tinbox.test\n',
			stderr: '',
			made: ['inbox', {inboxId: 'inbox-1', name: 'greylist'}, {inboxId: 'inbox-1', name: 'mailbox-full'}],
		});
	});

	test.each(['graylist', 'tls-fail'])('%s is refused before there is an inbox', async name => {
		const {exitCode, stderr, made} = await create('greylist', name);
		expect({exitCode, made}).toEqual({exitCode: 2, made: []});
		expect(stderr).toContain(name);
	});
});

test('of "tinbox run" is refused before a daemon starts', async () => {
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

	test('says of each what it does, and how often it did', async () => {
		const {stdout} = await faults(['list', 'signup'], {list}, true);
		const [header, first, second] = stdout.split('\n');
		expect(header).toMatch(/^NAME +STAGE +EFFECT +SEEN +HITS +ID$/);
		expect(first).toMatch(/^greylist +rcpt +451 4\.7\.1 Greylisted, .*once per recipient +3 +1 +fault-1$/);
		expect(second).toContain('delayed by 5s; kept, then dropped without a reply; if subject matches "Order');
		expect(stdout).not.toContain('\x1b');
	});

	test('takes --daemon for an inbox, and is the API in JSON', async () => {
		const {stdout} = await faults(['list', '--daemon', '--json'], {list});
		expect(JSON.parse(stdout)).toMatchObject({faults: [{id: 'fault-1'}, {id: 'fault-2', inbox_id: null}]});
	});

	test('of none says how to make one', async () => {
		const {stderr} = await faults(['list', 'signup'], {list: async () => []}, true);
		expect(stderr).toContain('Add one: tinbox faults add signup@tinbox.test <preset>');
	});
});

describe('faults clear', () => {
	const list: Faults['list'] = async () => [
		faultBody(),
		faultBody({id: 'fault-2', name: 'twice'}),
		faultBody({id: 'long-fault-id-3', name: 'twice'}),
	];

	async function cleared(...words: readonly string[]) {
		const deleted: string[] = [];
		const result = await faults(['clear', ...words], {
			list,
			delete: async (_, id) => void deleted.push(id),
			deleteAll: async () => void deleted.push('all'),
		});
		return {...result, deleted};
	}

	test('deletes all, or the one that is named', async () => {
		expect(await cleared('signup')).toMatchObject({
			deleted: ['all'],
			stderr: 'Deleted 3 faults of signup@tinbox.test.\n',
		});
		expect(await cleared('--daemon', 'greylist')).toMatchObject({
			deleted: ['fault-1'],
			stderr: 'Deleted the fault greylist of the daemon.\n',
		});
		expect((await cleared('signup', 'fault-id-3')).deleted).toEqual(['long-fault-id-3']);
	});

	test('deletes none when several have the name, or nothing has', async () => {
		const several = await cleared('signup', 'twice');
		expect(several).toMatchObject({exitCode: 2, deleted: []});
		expect(several.stderr).toContain('Use the id of one of them:\n  fault-2\n  long-fault-id-3');
		const none = await cleared('signup', 'tarpit');
		expect(none).toMatchObject({exitCode: 5, deleted: []});
		expect(none.stderr).toContain('signup@tinbox.test has no fault "tarpit".');
		expect(none.stderr).toContain('Its faults: greylist, twice. Add one: tinbox faults add signup@tinbox.test tarpit');
	});
});

test('faults hits prints a line each, of all faults or of one', async () => {
	const asked: unknown[] = [];
	const hits: Faults['hits'] = async (inboxId, {fault, page = 1, limit = 20} = {}) => {
		asked.push([inboxId, fault]);
		const rows = [faultHitBody(), faultHitBody({id: 'hit-2', fault_id: null, name: null, reply: null, drop: 'before'})];
		return {hits: rows, total: 2, page, limit};
	};
	const {stdout} = await faults(['hits', 'signup'], {hits});
	expect(stdout.split('\n')).toEqual([
		'2026-01-01T11:59:58.000Z\tgreylist\t127.0.0.1\tshop@example.com\tsignup@tinbox.test\tanswered 451 4.7.1 Greylisted, try again later',
		'2026-01-01T11:59:58.000Z\taddress\t127.0.0.1\tshop@example.com\tsignup@tinbox.test\tdropped without a reply',
		'',
	]);
	const list = async () => [faultBody()];
	const {stdout: json} = await faults(['hits', '--daemon', 'greylist', '--json'], {hits, list});
	expect(JSON.parse(json)).toMatchObject({hits: [{id: 'hit-1'}, {id: 'hit-2'}], total: 2, page: 1, limit: 20});
	expect(asked).toEqual([
		['inbox-1', undefined],
		[null, 'fault-1'],
	]);
});
