import {appendFile, mkdir, open, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createLogFile, withoutOutages} from '../../../src/daemon/log.js';
import {AppError} from '../../../src/domain/errors.js';
import {tempDir} from '../../helpers/temp-dir.js';

const mebibyte = 1024 * 1024;
const line = `${'x'.repeat(64 * 1024 - 1)}\n`;

async function emptyLog() {
	const folder = await tempDir();
	const file = path.join(folder, 'daemon.log');
	return {folder, file, log: createLogFile(file)};
}

test('a daemon log that grows is rotated while the daemon runs, without losing a line', async () => {
	const {folder, file, log} = await emptyLog();
	const count = (12 * mebibyte) / line.length;
	for (let number = 0; number < count; number++) {
		log.write(`${number} ${line}`);
	}

	expect((await readdir(folder)).sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2']);
	const texts = await Promise.all([`${file}.2`, `${file}.1`, file].map(name => readFile(name, 'utf8')));
	const numbers = texts.join('').matchAll(/^\d+/gm);
	expect([...numbers].map(Number)).toEqual(Array.from({length: count}, (_, number) => number));
	expect(Math.max(...texts.map(text => text.length))).toBeLessThan(5 * mebibyte + 2 * line.length);
});

test('log rotation keeps five old logs', async () => {
	const {folder, file, log} = await emptyLog();
	for (let start = 0; start < 8; start++) {
		await writeFile(file, `${start}${'x'.repeat(5 * mebibyte)}`);
		log.write('started\n');
	}

	const names = ['', '.1', '.2', '.3', '.4', '.5'].map(suffix => `daemon.log${suffix}`);
	expect((await readdir(folder)).sort()).toEqual(names);
	expect(await readFile(file, 'utf8')).toBe('started\n');
	expect((await readFile(`${file}.5`, 'utf8')).slice(0, 2)).toBe('3x');
});

test('output of Node.js to an open log file is kept in the current log after rotation', async () => {
	const {file, log} = await emptyLog();
	const stderr = await open(file, 'a');
	await appendFile(file, 'x'.repeat(5 * mebibyte));
	log.write('begun anew\n');
	await stderr.write('Node.js gave up.\n');
	await stderr.close();
	expect(await readFile(file, 'utf8')).toBe('begun anew\nNode.js gave up.\n');
});

test('current and rotated logs are readable only by their owner', async () => {
	const {file, log} = await emptyLog();
	log.write('x'.repeat(5 * mebibyte));
	log.write('y');
	for (const name of [file, `${file}.1`]) {
		expect((await stat(name)).mode & 0o777).toBe(0o600);
	}
});

test('an unwritable log does not throw', async () => {
	const {file, log} = await emptyLog();
	await mkdir(file);
	expect(() => log.write('lost\n')).not.toThrow();
});

test('log rotation does not write through a symbolic link', async () => {
	const {folder, file, log} = await emptyLog();
	const known = path.join(folder, 'known');
	await writeFile(known, 'known');
	await symlink(known, `${file}.new`);
	await writeFile(file, 'x'.repeat(5 * mebibyte));
	log.write('begun anew\n');
	expect(await readFile(known, 'utf8')).toBe('known');
	expect((await readdir(folder)).sort()).toEqual(['daemon.log', 'daemon.log.1', 'known']);
});

test('errors of an unavailable store are not logged', () => {
	const logged: string[] = [];
	const record = (_: object, message: string) => void logged.push(message);
	const log = withoutOutages({info: record, warn: record, error: record});
	log.error({err: new AppError('unavailable', 'It is away.')}, 'due deliveries could not be read');
	log.error({err: new AppError('storage_full', 'It is full.')}, 'full');
	log.warn({}, 'plain');
	expect(logged).toEqual(['full', 'plain']);
});
