import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {Exit, exitCodes} from '../../../../src/cli/output/exit.js';
import {ApiError, UnreachableError} from '../../../../src/client/errors.js';
import {SettingError} from '../../../../src/config/settings-file.js';
import {resolvePaths} from '../../../../src/runtime/paths.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';
import {tempDir} from '../../../helpers/temp-dir.js';

function failing(error: unknown): FakeCalls {
	return {
		inboxes: {
			create: async () => {
				throw error;
			},
		},
	};
}

function apiError(status: number, code = 'some_code', detail = 'It did not work.'): ApiError {
	return new ApiError({status, code, detail});
}

describe('the exit code', () => {
	test.each<[string, unknown, number]>([
		['bad input', apiError(400), 2],
		['a rejected key', apiError(401), 4],
		['a missing permission', apiError(403), 4],
		['an unknown resource', apiError(404), 5],
		['a conflict', apiError(409), 1],
		['a full disk', apiError(507), 1],
		['an unreachable daemon', new UnreachableError('http://127.0.0.1:1/v1', 'cannot be reached.'), 3],
		['an invalid setting', new SettingError('TINBOX_SMTP_PORT must be a port.'), 2],
		['a failed condition', new Exit(exitCodes.conditionFailed, 'x', 'No.'), 6],
		['a bug', new TypeError('x is not a function'), 1],
	])('for $0 is $2', async (_, error, exitCode) => {
		const result = await runFake(['inbox', 'create'], failing(error));
		expect(result).toMatchObject({exitCode, stdout: ''});
		expect(result.stderr).not.toBe('');
	});

	test.each([
		[['inbx'], 2, 'Did you mean inbox?'],
		[['inbox', 'lst'], 2, 'Did you mean list?'],
		[['inbox', 'show'], 2, 'Missing argument <inbox>.'],
		[['inbox', 'show', 'a', '--colour'], 2, 'See: tinbox inbox show --help'],
		[['inbox'], 2, 'Usage: tinbox inbox'],
		[['send', 'a@tinbox.test', '--server', 'localhost:99999'], 2, '--server must be host:port'],
	])('for the usage error %j is %i', async (args, exitCode, message) => {
		const result = await runFake(args);
		expect(result).toMatchObject({exitCode, stdout: ''});
		expect(result.stderr).toContain(message);
	});

	test.each([[[]], [['--help']], [['help']], [['inbox', '--help']], [['help', 'inbox']], [['inbox', 'create', '-h']]])(
		'for the help request %j is 0',
		async args => {
			const result = await runFake(args);
			expect(result).toMatchObject({exitCode: 0, stderr: ''});
			expect(result.stdout).toContain('Usage: tinbox');
		},
	);
});

describe('the error message', () => {
	test('is the detail of the API error', async () => {
		const {stderr} = await runFake(
			['inbox', 'create'],
			failing(apiError(409, 'address_taken', 'That address is taken.')),
		);
		expect(stderr).toBe('That address is taken.\n');
	});

	test.each([
		[['inbox', 'create'], 'email_address', '--address'],
		[['--profile', 'local', 'inbox', 'create'], 'team_id', '--team'],
		[['messages', 'list', 'a'], 'header', '--header'],
		[['users', 'create', 'a@b'], 'email', '<email>'],
		[['users', 'token', 'a@b'], 'expires_in', '--expires-in'],
		[['webhooks', 'create', 'http://x'], 'url', '<url>'],
		[['webhooks', 'update', 'e', '--url', 'x'], 'url', '--url'],
		[['webhooks', 'create', 'http://x'], 'events.0', '"events.0"'],
	])('of %j names the field %s as on the command line: %s', async (args, field, shown) => {
		const error = new ApiError({
			status: 400,
			code: 'invalid_input',
			detail: `"${field}" is wrong; "${field}" is bad.`,
			errors: [
				{field, message: 'is wrong'},
				{field, message: 'is bad'},
			],
		});
		const fail = async () => Promise.reject(error);
		const {stderr} = await runFake(args, {
			inboxes: {create: fail, get: fail, list: fail},
			messages: {list: fail},
			users: {create: fail, list: fail, createToken: fail},
			webhooks: {create: fail, update: fail},
		});
		expect(stderr).toBe(`${shown} is wrong; ${shown} is bad.\n`);
	});

	test('names TINBOX_HOME only if a folder of tinbox cannot be written', async () => {
		const errorFor = async (folder: string) => {
			const error = Object.assign(new Error('rejected'), {code: 'EROFS', syscall: 'mkdir', path: folder});
			return (await runFake(['inbox', 'create'], failing(error), {paths: resolvePaths({TINBOX_HOME: '/me/tinbox'})}))
				.stderr;
		};
		const hint = 'Set TINBOX_HOME to a folder that you can write to.';
		for (const folder of ['/me', '/me/tinbox/state', '/me/tinbox/config/config.json', '/']) {
			expect(await errorFor(folder)).toBe(`Read-only file system: ${folder}\n${hint}\n`);
		}

		expect(await errorFor('/me/tin')).not.toContain(hint);
		expect(await errorFor('/elsewhere/mail.eml')).not.toContain(hint);
	});

	test('names TINBOX_URL if it is the unreachable URL', async () => {
		const [url, other] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
		const errorWith = async (env: NodeJS.ProcessEnv) =>
			(await runFake(['inbox', 'create'], failing(new UnreachableError(url, 'cannot be reached.')), {env})).stderr;
		expect(await errorWith({TINBOX_URL: url})).toContain('TINBOX_URL is set to this address');
		expect(await errorWith({TINBOX_URL: other})).toContain('tinbox daemon status');
	});

	test('contains no escape sequences', async () => {
		const {stderr} = await runFake(['inbox', 'create'], failing(apiError(409, 'x', 'No \x1b[2Jinbox \x9b31m"a".')));
		expect(stderr).toBe('No inbox "a".\n');
	});

	test('is one JSON object with --json', async () => {
		const error = new ApiError({
			status: 400,
			code: 'invalid_input',
			detail: '"ttl" must be positive.',
			errors: [{field: 'ttl', message: 'must be positive'}],
		});
		const {stdout, stderr} = await runFake(['inbox', 'create', '--json'], failing(error));
		expect(stdout).toBe('');
		expect(JSON.parse(stderr)).toEqual({
			error: {
				code: 'invalid_input',
				message: '--ttl must be positive.',
				status: 400,
				errors: [{field: 'ttl', message: 'must be positive'}],
			},
		});
	});

	test('is JSON for usage errors with --json', async () => {
		const {stderr} = await runFake(['inbox', 'create', '--json=colour']);
		expect(JSON.parse(stderr)).toMatchObject({error: {code: 'usage'}});
		expect(stderr).toContain('The fields are: id, email_address');
	});

	test('names an unknown flag as typed', async () => {
		const {stderr} = await runFake(['inbox', 'delete', 'signup', '--json']);
		expect(JSON.parse(stderr)).toMatchObject({error: {message: 'Unknown option "--json".'}});
	});

	test('explains how to pass fields if they follow --json as an argument', async () => {
		const {stderr} = await runFake(['inbox', 'list', '--json', 'id,name']);
		expect(JSON.parse(stderr)).toMatchObject({error: {hint: 'Put the fields after an equals sign: --json=id'}});
	});

	test('describes a system error code in words', async () => {
		const folder = await tempDir();
		const file = path.join(folder, 'no.pdf');
		const stderr = `No such file or directory: ${file}\n`;
		expect(await runFake(['send', 'a@tinbox.test', '--attach', file])).toEqual({exitCode: 1, stdout: '', stderr});
	});

	test.each([
		['EISDIR', {path: '/data'}, 'Is a directory: /data\n'],
		['EISDIR', {}, 'System call "read" failed: EISDIR.\n'],
		['ENOSPC', {path: '/data'}, 'No space left on device: /data\n'],
		['EXDEV', {path: '/data'}, 'System call "read" failed for /data: EXDEV.\n'],
	])('replaces the Node.js wording of %s %j', async (code, fields, stderr) => {
		const error = Object.assign(new Error(`${code}: illegal operation, read`), {code, syscall: 'read', ...fields});
		expect(await runFake(['inbox', 'create'], failing(error))).toEqual({exitCode: 1, stdout: '', stderr});
	});

	test('includes the original Node.js message with TINBOX_DEBUG', async () => {
		const error = Object.assign(new TypeError('The "x" argument must be of type y'), {code: 'ERR_INVALID_ARG_TYPE'});
		const {stderr} = await runFake(['inbox', 'create'], failing(error), {env: {TINBOX_DEBUG: '1'}});
		expect(stderr).toMatch(/^Unexpected error: Node\.js error ERR_INVALID_ARG_TYPE\n[\s\S]*The "x" argument/);
	});

	test('escapes invisible characters', async () => {
		const {stderr} = await runFake(
			['inbox', 'create'],
			failing(apiError(404, 'x', 'No "sign\u200bup".\nNone\x1b[2J.')),
		);
		expect(stderr).toBe('No "sign<U+200B>up".\nNone.\n');
	});

	test('includes the stack of a bug only with TINBOX_DEBUG', async () => {
		const calls = failing(new TypeError('x is not a function'));
		const {stderr} = await runFake(['inbox', 'create'], calls);
		expect(stderr).toBe(
			'Unexpected error: TypeError in tinbox. This is a bug.\nSet TINBOX_DEBUG=1 to print the stack trace.\n',
		);
		const {stderr: all} = await runFake(['inbox', 'create'], calls, {env: {TINBOX_DEBUG: '1'}});
		expect(all).toContain('x is not a function');
		expect(all).toContain('failure.test.ts');
	});
});
