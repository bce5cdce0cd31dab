import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, stat, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {processBirth} from '../../../src/lib/io/process-lock.js';
import {type DaemonState, readState, removeState, writeState} from '../../../src/runtime/state-file.js';
import {tempDir} from '../../helpers/temp-dir.js';

const own: DaemonState = {
	pid: process.pid,
	birth: processBirth(process.pid) ?? '',
	version: '1.0.0',
	url: 'http://127.0.0.1:8025/v1',
	https_url: null,
	smtp: {host: '127.0.0.1', port: 1025},
	smtps: {host: '127.0.0.1', port: 1465},
	domain: 'tinbox.test',
	data_dir: '/data',
	store: null,
	settings: {TINBOX_SMTP_PORT: '1025'},
};

const stateFile = async () => path.join(await tempDir(), 'state', 'daemon.json');

test('the state of a running daemon can be read', async () => {
	const file = await stateFile();
	await writeState(file, own);
	expect(readState(file)).toEqual(own);
});

test('the state file and its folder are readable only by their owner, and no temporary file remains', async () => {
	const file = await stateFile();
	await writeState(file, own);
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
	expect(await readdir(path.dirname(file))).toEqual(['daemon.json']);
});

test('the state of a killed daemon is ignored', async () => {
	const file = await stateFile();
	const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
	await once(child, 'spawn');
	const state = {...own, pid: child.pid ?? 0, birth: processBirth(child.pid ?? 0) ?? ''};
	await writeState(file, state);
	expect(readState(file)).toEqual(state);
	child.kill('SIGKILL');
	await once(child, 'exit');
	expect(readState(file)).toBeUndefined();
});

test('the state of a daemon is ignored if another process reused its pid', async () => {
	const file = await stateFile();
	await writeState(file, {...own, birth: 'another boot:1'});
	expect(readState(file)).toBeUndefined();
});

test.each(['', '{"pid":', 'null', '[]', '7'])('a state file that contains %j is ignored', async text => {
	const file = path.join(await tempDir(), 'daemon.json');
	await writeFile(file, text);
	expect(readState(file)).toBeUndefined();
});

test('a daemon removes its own state, but not the state of its successor', async () => {
	const file = await stateFile();
	await writeState(file, own);
	await removeState(file, {pid: own.pid, birth: 'earlier'});
	expect(readState(file)).toEqual(own);
	await removeState(file, own);
	expect(readState(file)).toBeUndefined();
	await removeState(file, own);
});
