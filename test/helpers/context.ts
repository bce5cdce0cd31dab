import {Readable} from 'node:stream';
import type {Context, Io} from '../../src/cli/context.js';
import {run} from '../../src/cli/run.js';
import {apiClient, type Client} from '../../src/client/index.js';
import {resolvePaths} from '../../src/runtime/paths.js';

/** Fake client calls by noun. Any other call fails, because no daemon listens. */
export type FakeCalls = {readonly [Noun in keyof Client]?: Partial<Client[Noun]>};

export type Terminal = {readonly isTTY?: boolean; readonly columns?: number};

/** A context that captures output and serves only the given calls. */
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
			throw new Error('The fake context has no daemon.');
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

/** Runs a command line in a fake context. */
export async function runFake(args: readonly string[], ...options: Parameters<typeof fakeContext>) {
	const {context, written} = fakeContext(...options);
	const exitCode = await run(args, context);
	return {exitCode, ...written};
}

function fakeClient(calls: FakeCalls): Client {
	const unreachable = apiClient({url: 'http://127.0.0.1:1/v1'});
	return {
		users: {...unreachable.users, ...calls.users},
		plans: {...unreachable.plans, ...calls.plans},
		keys: {...unreachable.keys, ...calls.keys},
		webSessions: {...unreachable.webSessions, ...calls.webSessions},
		teams: {...unreachable.teams, ...calls.teams},
		inboxes: {...unreachable.inboxes, ...calls.inboxes},
		messages: {...unreachable.messages, ...calls.messages},
		webhooks: {...unreachable.webhooks, ...calls.webhooks},
		templates: {...unreachable.templates, ...calls.templates},
		nodes: {...unreachable.nodes, ...calls.nodes},
		refusals: {...unreachable.refusals, ...calls.refusals},
		faults: {...unreachable.faults, ...calls.faults},
		events: {...unreachable.events, ...calls.events},
		daemon: {...unreachable.daemon, ...calls.daemon},
	};
}
