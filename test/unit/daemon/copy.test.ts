import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {copyBetween} from '../../../src/daemon/copy.js';
import {StoreError} from '../../../src/lib/errors.js';
import {Cluster} from '../../helpers/postgres-cluster.js';
import {fill, fullContent} from '../store/copy-rows.js';
import {openStore, recordingLog, temporaryFolder} from '../store/json-fixture.js';
import {hasNoPostgres} from '../store/postgres-fixture.js';

describe.skipIf(hasNoPostgres)('a store copy whose database stops', {timeout: 120_000}, () => {
	test('fails with a hint to resume it, after removing temporary folders of dead processes only', async () => {
		const cluster = new Cluster();
		onTestFinished(async () => cluster.remove());
		await cluster.create();
		const from = await temporaryFolder();
		const source = await openStore(from, {isForCopy: true});
		await fill(source, fullContent(500));
		await source.close();
		const keyFile = path.join(await temporaryFolder(), 'key');
		const dead = spawn(process.execPath, ['--version'], {stdio: 'ignore'});
		await once(dead, 'exit');
		const [staleFolder = '', liveFolder = ''] = [dead.pid, process.pid].map(pid =>
			path.join(tmpdir(), `tinbox-copy-${pid}-left`),
		);
		for (const folder of [staleFolder, liveFolder]) {
			await mkdir(path.join(folder, 'lock'), {recursive: true});
			onTestFinished(async () => rm(folder, {recursive: true, force: true}));
		}

		const places = {from, to: cluster.url(await cluster.createDatabase()), keyFile, log: recordingLog().log};
		let stopping: Promise<unknown> | undefined;
		const interrupted = copyBetween(places, {
			onProgress: ({done}) => {
				stopping ??= done > 100 ? cluster.stop('SIGKILL') : undefined;
			},
			signal: new AbortController().signal,
		});
		const error = await interrupted.catch(reason => reason);
		await stopping;
		expect(error).toBeInstanceOf(StoreError);
		expect(error.message).toMatch(/Run the same command again to resume the copy/);
		expect([staleFolder, liveFolder].map(existsSync)).toEqual([false, true]);
	});
});
