import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {openBrowser} from '../../../../src/lib/io/browse.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const own = 'http://127.0.0.1:8025/v1';

/** A browser that writes down what it is given. */
async function browser(status = 0) {
	const folder = await tempDir();
	const file = path.join(folder, 'given');
	const before = process.env['BROWSER'];
	const program = path.join(folder, 'browser');
	const script = `#!/bin/sh\nprintf '%s|' "$@" > "${file}.new" && mv "${file}.new" "${file}"\nexit ${status}\n`;
	await writeFile(program, script, {mode: 0o755});
	process.env['BROWSER'] = program;
	onTestFinished(() => {
		if (before === undefined) {
			delete process.env['BROWSER'];
		} else {
			process.env['BROWSER'] = before;
		}
	});
	return async () => readFile(file, 'utf8').catch(() => '');
}

test.skipIf(process.platform === 'win32').each([
	['http://127.0.0.1:8025/v1/previews/abc', 'http://127.0.0.1:8025/v1/previews/abc'],
	['https://127.0.0.1:8025/v1/previews/abc', 'https://127.0.0.1:8025/v1/previews/abc'],
	['http://127.0.0.1:8025/a b"&calc|^\n-x', 'http://127.0.0.1:8025/a%20b%22&calc|^-x'],
])('%j is opened as %j', async (url, given) => {
	const opened = await browser();
	expect(await openBrowser(url, own)).toBe('opened');
	await vi.waitFor(async () => expect(await opened()).toBe(`${given}|`));
});

test.skipIf(process.platform === 'win32')(
	'a browser that does not start is told of, one that goes on is not waited for',
	async () => {
		await browser(3);
		expect(await openBrowser(`${own}/previews/abc`, own)).toBe('failed');
		process.env['BROWSER'] = '/no/such/browser';
		expect(await openBrowser(`${own}/previews/abc`, own)).toBe('failed');
		const folder = await tempDir();
		const running = path.join(folder, 'running');
		await writeFile(running, '#!/bin/sh\nwhile [ -e "$0" ]; do sleep 0.1; done\n', {mode: 0o755});
		process.env['BROWSER'] = running;
		expect(await openBrowser(`${own}/previews/abc`, own)).toBe('opened');
	},
);

test.skipIf(process.platform === 'win32')(
	'an address that a person chose may be anywhere on the web, and nowhere else',
	async () => {
		const opened = await browser();
		expect(await openBrowser('file:///etc/passwd')).toBe('foreign');
		expect(await openBrowser('--new-window')).toBe('foreign');
		expect(await openBrowser('https://shop.example/confirm?a=1')).toBe('opened');
		expect(await opened()).toBe('https://shop.example/confirm?a=1|');
	},
);

describe('what is no page of the daemon is left alone', () => {
	test.each([
		'file:///etc/passwd',
		'javascript:alert(1)',
		'vscode://x/y',
		'--new-window',
		'-a Calculator',
		'C:\\Windows\\System32\\calc.exe',
		'\\\\evil.example\\share\\x.exe',
		'http://evil.example/v1/previews/abc',
		'http://127.0.0.1:8025.evil.example/',
		'http://127.0.0.1:9/v1/previews/abc',
		'http://127.0.0.1:8025@evil.example/',
		'http://user:password@127.0.0.1:8025/',
		'//127.0.0.1:8025/',
		'ftp://127.0.0.1:8025/',
		'/v1/previews/abc',
		'',
	])('%j', async url => {
		const opened = await browser();
		expect(await openBrowser(url, own)).toBe('foreign');
		expect(await opened()).toBe('');
	});
});
