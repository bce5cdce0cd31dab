import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {mkdir, readdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test, vi} from 'vitest';
import {blockNamed} from '../../e2e/docs/blocks.js';
import {ownEnv, runCli} from '../../helpers/cli.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {tinboxOnPath} from '../../helpers/tinbox-on-path.js';

const source = path.join(import.meta.dirname, '../../../src/kits/conftest_tinbox.py');
const hasPytest = spawnSync('python3', ['-c', 'import pytest']).status === 0;

const signUp = `
import smtplib
from email.message import EmailMessage


def sign_up(inbox, to=None):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "shop@shop.example", to or inbox.address, "Confirm it"
    message.set_content("Your code is 482913. https://shop.example/confirm https://shop.example/reset")
    with smtplib.SMTP(inbox.smtp["host"], inbox.smtp["port"]) as smtp:
        smtp.login(inbox.env["SMTP_USER"], inbox.env["SMTP_PASSWORD"])
        smtp.send_message(message)
`;

const minimal = `
from sign_up import sign_up


def test_minimal(inbox):
    sign_up(inbox)
    assert len(inbox.code(subject="Confirm", timeout=20)) == 6
`;

const suite = `
import re

import pytest
from sign_up import sign_up


def test_passes(inbox, tinbox, monkeypatch):
    sign_up(inbox, "ann@elsewhere.example")
    assert inbox.code() == "482913"
    assert inbox.link(link="reset", subject=re.compile("^confirm", re.I)) == "https://shop.example/reset"
    assert inbox.wait(from_="shop@", has="code")["to"] == "ann@elsewhere.example"
    assert tinbox.request("GET", f"/inboxes/{inbox.id}")["name"] == "test_passes"
    inbox.clear()
    assert inbox.messages() == []
    with pytest.raises(TimeoutError, match='No message with subject "other" arrived at .+ within 1s.\\nNo other message arrived'):
        inbox.wait(timeout=1, subject="other")
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    with pytest.raises(TimeoutError):
        inbox.wait(timeout=0.5, subject="other")
    with pytest.raises(Exception, match="colour"):
        inbox.wait(colour="red")


def test_fails(inbox):
    sign_up(inbox)
    assert inbox.code() == "other"
`;

/** Creates a project with the kit, passing tests and a failing test. */
async function createProject() {
	const home = await tempDir();
	const env = await tinboxOnPath(home, ownEnv(home));
	const folder = path.join(home, 'project');
	await mkdir(folder);
	const files = {
		'sign_up.py': signUp,
		'test_sign_up.py': minimal,
		'test_more.py': suite,
	};
	for (const [name, content] of Object.entries(files)) {
		await writeFile(path.join(folder, name), content);
	}

	await execa('bash', ['-ec', blockNamed('pytest: sh', 'docs/test-frameworks.md')], {
		cwd: folder,
		env,
		extendEnv: false,
	});
	return {
		remaining: async () => (await readdir(env['TMPDIR'] ?? '')).filter(name => name.startsWith('tinbox-')),
		pytest: async (more: Readonly<Record<string, string>> = {}) =>
			execa('python3', ['-m', 'pytest', '-p', 'no:cacheprovider'], {
				cwd: folder,
				env: {...env, PYTHONDONTWRITEBYTECODE: '1', ...more},
				extendEnv: false,
				reject: false,
				all: true,
			}),
	};
}

test('tinbox kit prints the file of a kit and rejects an unknown kit', async () => {
	expect((await runCli({}, ['kit', 'pytest'])).stdout).toBe(readFileSync(source, 'utf8'));
	expect(await runCli({}, ['kit', 'mocha'])).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('Invalid <name> "mocha". Supported: pytest.'),
	});
});

describe.skipIf(!hasPytest)('the pytest kit', () => {
	test('gives each test an inbox, prints the mail of a failed test, and leaves no files', async () => {
		const {pytest, remaining} = await createProject();
		const {exitCode, all} = await pytest();
		expect(all).toMatch(
			/- tinbox -+\nMessages in \S+@tinbox\.test:\n {2}\S+ "Confirm it" from shop@shop\.example to \S+\n/,
		);
		expect(all).toContain('1 failed, 2 passed');
		expect(exitCode).toBe(1);
		await vi.waitFor(async () => expect(await remaining()).toEqual([]), {timeout: 30_000});
	});

	test('reports a missing API key and a daemon that may not be started', async () => {
		const {pytest} = await createProject();
		const {all: withoutKey} = await pytest({TINBOX_URL: 'http://127.0.0.1:1/v1'});
		expect(withoutKey).toContain('TINBOX_URL is set, but TINBOX_API_KEY is not. Set it to an API key of that daemon.');
		const {all: withoutDaemon} = await pytest({TINBOX_NO_START: '1'});
		expect(withoutDaemon).toContain('No tinbox daemon is running, and TINBOX_NO_START prevents starting one.');
	});
});
