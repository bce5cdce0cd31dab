import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {cp, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {build} from 'esbuild';
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {DataDirError} from '../../../src/lib/errors.js';
import {expectKept, Ledger, sized} from './crash-fixture.js';
import {openStore, temporaryFolder} from './json-fixture.js';

const rounds = sized(20, 100);

let folder = '';
let program = '';

beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'tinbox-opener-'));
	program = path.join(folder, 'opener.mjs');
	const entry = path.join(import.meta.dirname, 'opener.ts');
	await build({entryPoints: [entry], outfile: program, bundle: true, format: 'esm', platform: 'node'});
});

afterAll(async () => rm(folder, {recursive: true, force: true}));

test('one of many processes gets the lock of a killed one, and the others report the new holder', async ({
	annotate,
}) => {
	const dir = path.join(await temporaryFolder(), 'data');
	const openers = await Promise.all(Array.from({length: 3}, async () => startOpener()));
	for (let round = 0; round < rounds; round++) {
		const holder = await startOpener();
		expect(await ask(holder, dir)).toBe('open');
		holder.kill('SIGKILL');
		await once(holder, 'exit');

		const answers = await Promise.all(openers.map(async opener => ask(opener, dir)));
		const winner = openers[answers.indexOf('open')];
		const refusal = `The data folder ${dir} is in use by process ${winner?.pid}. Stop that daemon, or choose another folder.`;
		expect(answers).toEqual(openers.map(opener => (opener === winner ? 'open' : refusal)));
		expect(winner && (await ask(winner, ''))).toBe('closed');
	}

	await annotate(JSON.stringify({races: rounds, openers: openers.length, wrongWinners: 0}));
});

test('the lock check detects a lock that is not taken atomically', async () => {
	const file = path.join(await temporaryFolder(), 'lock');
	const openers = await Promise.all(Array.from({length: 3}, async () => startOpener('naive')));
	let winners = 0;
	for (let round = 0; round < 20 && winners < 2; round++) {
		const answers = await Promise.all(openers.map(async opener => ask(opener, file)));
		winners = answers.filter(answer => answer === 'open').length;
		await Promise.all(openers.map(async opener => ask(opener, '')));
	}

	expect(winners).toBeGreaterThan(1);
});

test('a process cannot open a data directory twice, but can reopen it after closing', async () => {
	const dir = await temporaryFolder();
	const store = await openStore(dir);
	await expect(openStore(dir)).rejects.toThrow(DataDirError);
	await expect(openStore(dir)).rejects.toThrow(`in use by process ${process.pid}`);
	await store.close();
	await expect(openStore(dir)).resolves.toBeDefined();
});

test('a copy of a data directory in use can be opened', async () => {
	const dir = path.join(await temporaryFolder(), 'data');
	const copy = path.join(await temporaryFolder(), 'copy');
	const store = await openStore(dir);
	const ledger = await Ledger.open(store);
	await ledger.receive(store, Buffer.from('mail'));
	await cp(dir, copy, {recursive: true});
	await expectKept(await openStore(copy), ledger);
});

async function startOpener(...args: readonly string[]): Promise<ChildProcess> {
	const opener = fork(program, args, {execArgv: []});
	onTestFinished(() => {
		opener.kill('SIGKILL');
	});
	await once(opener, 'message');
	return opener;
}

/** Sends a directory to open, or an empty string to close it. Resolves to the answer of the opener. */
async function ask(opener: ChildProcess, dir: string): Promise<unknown> {
	opener.send(dir);
	const [answer] = await once(opener, 'message');
	return answer;
}
