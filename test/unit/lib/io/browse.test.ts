import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {openBrowser} from '../../../../src/lib/io/browse.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const own = 'http://127.0.0.1:8025/v1';

/** Sets `BROWSER` to a script that records its arguments and exits with `status`. Resolves to a reader of the record. */
async function recordingBrowser(status = 0) {
	const folder = await tempDir();
	const file = path.join(folder, 'arguments');
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
])('the browser opens %j as %j', async (url, expected) => {
	const opened = await recordingBrowser();
	expect(await openBrowser(url, own)).toBe('opened');
	await vi.waitFor(async () => expect(await opened()).toBe(`${expected}|`));
});

test.skipIf(process.platform === 'win32')(
	'a browser that fails to start is reported, and a running browser is not awaited',
	async () => {
		await recordingBrowser(3);
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
	'without a base URL, any HTTP URL is opened, and other URLs are rejected as foreign',
	async () => {
		const opened = await recordingBrowser();
		expect(await openBrowser('file:///etc/passwd')).toBe('foreign');
		expect(await openBrowser('--new-window')).toBe('foreign');
		expect(await openBrowser('https://shop.example/confirm?a=1')).toBe('opened');
		expect(await opened()).toBe('https://shop.example/confirm?a=1|');
	},
);

describe('a URL outside the daemon is not opened:', () => {
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
		const opened = await recordingBrowser();
		expect(await openBrowser(url, own)).toBe('foreign');
		expect(await opened()).toBe('');
	});
});
