import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';

/** Creates a folder that is removed with the test, with retries for processes that still write into it. */
export async function tempDir(): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-test-'));
	onTestFinished(async () => rm(folder, {recursive: true, force: true, maxRetries: 10}));
	return folder;
}
