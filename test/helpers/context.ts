import {Readable} from 'node:stream';
import type {Context, Io} from '../../src/cli/context.js';
import {run} from '../../src/cli/run.js';
import {apiClient, type Client} from '../../src/client/index.js';
import {resolvePaths} from '../../src/runtime/paths.js';

/** The calls that a command is expected to make, by noun; any other call fails, for nobody answers it. */
export type FakeCalls = {readonly [Noun in keyof Client]?: Partial<Client[Noun]>};

export type Terminal = {readonly isTTY?: boolean; readonly columns?: number};

/** A context that captures output and answers the calls given, and nothing else. */
export function fakeContext(
	calls: FakeCalls = {},
	{
		terminal = {},
		stdin = Readable.from([]),
		...parts
	}: Partial<Context> & {terminal?: Terminal; stdin?: Io['stdin']} = {},
) {
	const written = {stdout: '', stderr: ''};
	const output = (name: 'stdout' | 'stderr') => ({
		...terminal,
		write(data: string | Uint8Array) {
			written[name] += typeof data === 'string' ? data : Buffer.from(data).toString();
		},
	});
	const client = fakeClient(calls);
	const context: Context = {
		io: {stdout: output('stdout'), stderr: output('stderr'), stdin},
		env: {},
		paths: resolvePaths({TINBOX_HOME: '/nowhere'}),
		now: () => new Date('2026-01-01T12:00:00.000Z'),
		exit() {},
		atEnd: [],
		daemon: async () => {
			throw new Error('This command needs no daemon of its own.');
		},
		api: async () => client,
		account: async () => client,
		operator: async () => client,
		access: async () => ({url: 'http://127.0.0.1:1/v1', profile: 'local', apiKey: null, token: null}),
		remoteUrl: () => undefined,
		...parts,
	};
	return {context, written};
}

/** Runs one command line in such a context. */
export async function runFake(args: readonly string[], ...options: Parameters<typeof fakeContext>) {
	const {context, written} = fakeContext(...options);
	const exitCode = await run(args, context);
	return {exitCode, ...written};
}

function fakeClient(calls: FakeCalls): Client {
	const nobody = apiClient({url: 'http://127.0.0.1:1/v1'});
	return {
		users: {...nobody.users, ...calls.users},
		plans: {...nobody.plans, ...calls.plans},
		keys: {...nobody.keys, ...calls.keys},
		webSessions: {...nobody.webSessions, ...calls.webSessions},
		teams: {...nobody.teams, ...calls.teams},
		inboxes: {...nobody.inboxes, ...calls.inboxes},
		messages: {...nobody.messages, ...calls.messages},
		webhooks: {...nobody.webhooks, ...calls.webhooks},
		templates: {...nobody.templates, ...calls.templates},
		nodes: {...nobody.nodes, ...calls.nodes},
		refusals: {...nobody.refusals, ...calls.refusals},
		faults: {...nobody.faults, ...calls.faults},
		events: {...nobody.events, ...calls.events},
		daemon: {...nobody.daemon, ...calls.daemon},
	};
}
