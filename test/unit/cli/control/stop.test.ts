import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {expect, onTestFinished, test} from 'vitest';
import {stopDaemon} from '../../../../src/cli/control/start.js';
import {processBirth} from '../../../../src/lib/io/process-lock.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {type DaemonState, writeState} from '../../../../src/runtime/state-file.js';
import {fakeContext} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

/** A process that runs the script and that the state file records as the daemon. */
async function startDaemonProcess(script: string) {
	const child = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1000); console.log('ready')`]);
	const ended = once(child, 'exit');
	onTestFinished(() => {
		child.kill('SIGKILL');
	});
	await once(child.stdout, 'data');
	const {context, written} = fakeContext({}, {paths: resolvePaths({TINBOX_HOME: await tempDir()})});
	const state: DaemonState = {
		pid: child.pid ?? 0,
		birth: processBirth(child.pid ?? 0) ?? '',
		version: '1.0.0',
		url: 'http://127.0.0.1:1/v1',
		https_url: null,
		smtp: {host: '127.0.0.1', port: 1},
		smtps: null,
		domain: 'tinbox.test',
		data_dir: '/data',
		store: null,
		settings: {},
	};
	await writeState(context.paths.stateFile, state);
	return {child, ended, state, context, written};
}

test('stopDaemon kills a daemon that ignores SIGTERM and prints a warning', async () => {
	const {ended, state, context, written} = await startDaemonProcess("process.on('SIGTERM', () => {})");
	await stopDaemon(state, context, 100);
	expect(await ended).toEqual([null, 'SIGKILL']);
	expect(written.stderr).toBe(`The daemon (process ${state.pid}) did not stop within 0.1 s. Killing it.\n`);
});

test('stopDaemon does not signal another process that reuses the process id', async () => {
	const {child, state, context, written} = await startDaemonProcess('');
	await stopDaemon({...state, birth: 'earlier'}, context);
	expect(child.exitCode ?? child.signalCode).toBeNull();
	expect(written.stderr).toBe('');
});
