import {existsSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test, vi} from 'vitest';
import {whyNoPostgres} from './postgres-cluster.js';

const script = `
	import {Cluster} from ${JSON.stringify(path.join(import.meta.dirname, 'postgres-cluster.js'))};
	const cluster = new Cluster();
	await cluster.create();
	console.log(JSON.stringify({folder: cluster.folder, pid: cluster.pid}));
	setInterval(() => {}, 1000);
`;

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

describe.skipIf(whyNoPostgres() !== undefined)('a PostgreSQL server for tests', () => {
	test('ends with the process that started it and leaves no files, also after a kill', async () => {
		const owner = execa('node', ['--input-type=module', '--eval', script], {reject: false});
		const [line] = (await owner.iterable()[Symbol.asyncIterator]().next()).value?.split('\n') ?? [];
		const {folder, pid} = JSON.parse(line ?? '');
		expect([existsSync(folder), isRunning(pid)]).toEqual([true, true]);
		owner.kill('SIGKILL');
		await owner;
		await vi.waitFor(() => expect([existsSync(folder), isRunning(pid)]).toEqual([false, false]), 20_000);
	});

	test('keeps its process alive until it is removed', async () => {
		const removing = script.replace(/console.*/s, "await cluster.remove(); console.log('removed');");
		const {stdout, exitCode} = await execa('node', ['--input-type=module', '--eval', removing]);
		expect({stdout, exitCode}).toEqual({stdout: 'removed', exitCode: 0});
	});
});
