import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import {bodySignature, standardSignature} from '../../../../../src/contract/webhook-signature.js';
import {runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';

const secret = 'whsec_c2VjcmV0';
const body = Buffer.from('{"subject":"Grüße"}\n');
const signature = bodySignature(secret, body);
const now = new Date('2026-01-01T12:00:00.000Z');
const stamp = {id: 'd1', timestamp: String(now.getTime() / 1000)};
const standard = standardSignature(secret, stamp, body);
const standardFlags = ['--id', stamp.id, '--timestamp', stamp.timestamp, '--signature', standard];

/** Runs `webhooks verify` with the body on stdin in two chunks. */
async function verify(args: readonly string[], {bytes = body, isTTY = false, env = {}} = {}) {
	const stdin = Object.assign(Readable.from([bytes.subarray(0, 5), bytes.subarray(5)]), {isTTY});
	return runFake(['webhooks', 'verify', ...args], {}, {stdin, env, now: () => now});
}

const env = {TINBOX_WEBHOOK_SECRET: secret};

test.each([
	['X-Tinbox-Signature', ['--signature', signature]],
	['webhook-signature', standardFlags],
])('webhooks verify exits with 0 and prints nothing for a valid %s', async (_, args) => {
	expect(await verify(args, {env})).toEqual({exitCode: 0, stdout: '', stderr: ''});
});

test('webhooks verify prefers the secret of a flag or file to the environment', async () => {
	const file = path.join(await tempDir(), 'secret');
	await writeFile(file, `${secret}\n`);
	const other = {TINBOX_WEBHOOK_SECRET: 'another'};
	const args = ['--signature', signature];
	expect(await verify(args, {env: other})).toMatchObject({exitCode: 6});
	expect(await verify([...args, '--secret', secret], {env: other})).toMatchObject({exitCode: 0});
	expect(await verify([...args, '--secret-file', file], {env: other})).toMatchObject({exitCode: 0});
});

test.each([
	['a body without its line end', ['--signature', signature], Buffer.from('{"subject":"Grüße"}'), 'does not match'],
	['a changed body', standardFlags, Buffer.from('{}'), 'does not match'],
	['a changed timestamp', [...standardFlags, '--timestamp', '1'], body, 'does not match'],
	[
		'an old signature',
		['--id', 'd1', '--timestamp', '1', '--signature', standardSignature(secret, {id: 'd1', timestamp: '1'}, body)],
		body,
		'differs from the current time by more than 5 minutes',
	],
])('webhooks verify exits with 6 for %s', async (_, args, bytes, message) => {
	const {exitCode, stdout, stderr} = await verify(args, {env, bytes});
	expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
	expect(stderr).toContain(message);
});

test.each([
	['no secret', ['--signature', signature], {}, 'The signing secret is missing.'],
	['no signature', [], {env}, 'Missing option --signature <text>.'],
	['--id without --timestamp', ['--id', 'd1', '--signature', standard], {env}, 'must be used together'],
	['a terminal as stdin', ['--signature', signature], {env, isTTY: true}, 'The body is read from stdin'],
])('webhooks verify exits with 2 for %s', async (_, args, input, message) => {
	const {exitCode, stdout, stderr} = await verify(args, input);
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toContain(message);
});
