import {chmod, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {StoreError} from '../../../../src/lib/errors.js';
import {withoutPassword} from '../../../../src/lib/text/url.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {tempDir} from '../../../helpers/temp-dir.js';

const here = {host: 'db', port: 5432};

describe('connection settings', () => {
	test.each<{url: string; env?: Record<string, string>; found: object}>([
		{url: 'postgres://ann@db/mail', found: {servers: [here], user: 'ann', database: 'mail'}},
		{url: 'postgresql://ann:x@db:6000', found: {servers: [{host: 'db', port: 6000}], database: 'ann'}},
		{
			url: 'postgres://ann@one,two:6000,[::1]:7000/mail',
			found: {
				servers: [
					{host: 'one', port: 5432},
					{host: 'two', port: 6000},
					{host: '::1', port: 7000},
				],
			},
		},
		{url: 'postgres:///mail?host=/run/pg&port=6000', found: {servers: [{host: '/run/pg', port: 6000}]}},
		{url: 'postgres://%2Frun%2Fpg/mail', found: {servers: [{host: '/run/pg', port: 5432}]}},
		{
			url: 'postgres://',
			env: {PGHOST: 'a,b', PGPORT: '6000', PGUSER: 'ann', PGDATABASE: 'mail', PGAPPNAME: 'us', PGCONNECT_TIMEOUT: '7'},
			found: {
				servers: [
					{host: 'a', port: 6000},
					{host: 'b', port: 6000},
				],
				user: 'ann',
				database: 'mail',
				connectTimeoutMs: 7000,
				session: {application_name: 'us'},
			},
		},
		{
			url: 'postgres://db/mail',
			env: {PGHOST: 'other', PGDATABASE: 'other'},
			found: {servers: [here], database: 'mail'},
		},
		{url: 'postgres://a%40b:p%3Aq@db/m%2Fail', found: {user: 'a@b', database: 'm/ail'}},
		{url: 'postgres://ann:p#1@db/m#ail', found: {servers: [here], user: 'ann', database: 'm#ail'}},
		{url: 'postgres://ann:x@/mail', env: {PGHOST: 'db'}, found: {servers: [here], user: 'ann', database: 'mail'}},
		{
			url: 'postgres://DB,%2Frun%2Fpg,[::1]/mail?port=6000',
			found: {
				servers: [
					{host: 'DB', port: 6000},
					{host: '/run/pg', port: 6000},
					{host: '::1', port: 6000},
				],
			},
		},
	])('of the URL $url are read as in libpq', ({url, env = {}, found}) => {
		expect(readConnectionSettings(url, env)).toMatchObject(found);
	});

	test.each([
		{url: 'mysql://db', error: /^"mysql:\/\/db" is not a database URL\. Use the form postgres:\/\//},
		{
			url: 'postgres://u:sec@ret@db/mail',
			error: /^The password in the database URL contains "@"\. Write it as %40\.$/,
		},
		{url: 'db:secret@host', error: /is not a database URL/},
		{url: 'postgres://db:x', error: /must be a number from 1 to 65535, got "x"/},
		{url: 'postgres://db:99999', error: /must be a number from 1 to 65535/},
		{
			url: 'postgres://db/mail?sslmod=require',
			error: /^Unknown option "sslmod" in the database URL\. Supported: host, .*, options\.$/,
		},
		{url: 'postgres://db/mail?sslmode=on', error: /sslmode must be one of disable, .*, got "on"/},
		{
			url: 'postgres://db/mail?target_session_attrs=standby',
			error: /^target_session_attrs cannot be "standby": tinbox needs write access\./,
		},
		{url: 'postgres://a%zz@db', error: /two hexadecimal digits/},
		{url: 'postgres://d%b/mail', error: /two hexadecimal digits/},
		{url: 'postgres://db/m%ail', error: /two hexadecimal digits/},
		{url: 'postgres://d<b/mail', error: /is not a database URL/},
	])('with the invalid URL $url are rejected', ({url, error}) => {
		expect(() => readConnectionSettings(url, {})).toThrow(StoreError);
		expect(() => readConnectionSettings(url, {})).toThrow(error);
	});
});

describe('the password of a connection', () => {
	const passwordOf = (url: string, env: Record<string, string> = {}) =>
		readConnectionSettings(url, {PGPASSFILE: '/nonexistent', ...env}).password(here);

	test('is taken from the URL before PGPASSWORD', () => {
		expect(passwordOf('postgres://ann:p%40ss@db/mail', {PGPASSWORD: 'other'})).toBe('p@ss');
		expect(passwordOf('postgres://ann@db/mail', {PGPASSWORD: 'other'})).toBe('other');
		expect(passwordOf('postgres://ann@db/mail')).toBe('');
	});

	test('is read from a password file that only its owner can read', async () => {
		const file = path.join(await tempDir(), 'pgpass');
		await writeFile(
			file,
			'# db:5432:mail:ann:no\nother:*:*:*:no\ndb:5432:mail:bob:no\ndb:*:mail:ann:a\\:b\n*:*:*:*:no\n',
			{
				mode: 0o600,
			},
		);
		expect(passwordOf('postgres://ann@db/mail', {PGPASSFILE: file})).toBe('a:b');
		await chmod(file, 0o644);
		expect(passwordOf('postgres://ann@db/mail', {PGPASSFILE: file})).toBe('');
	});

	test.each([
		{url: 'postgres://ann:p:q%40@db/mail', expected: 'postgres://ann@db/mail'},
		{url: 'postgres://ann@db/mail?password=x&sslmode=require', expected: 'postgres://ann@db/mail?sslmode=require'},
		{url: 'postgres://ann@db/mail?sslmode=require&password=x', expected: 'postgres://ann@db/mail?sslmode=require&'},
		{url: 'postgres://ann:p@q@db/mail', expected: 'postgres://ann@db/mail'},
		{url: 'postgres://ann@db/mail', expected: 'postgres://ann@db/mail'},
	])('is removed from the displayed URL $url', ({url, expected}) => {
		expect(withoutPassword(url)).toBe(expected);
	});
});

describe('TLS of a connection', () => {
	const tlsOf = (query: string, env: Record<string, string> = {}) =>
		readConnectionSettings(`postgres://db/mail?${query}`, env).tls;

	test('is preferred by default and depends on sslmode', () => {
		expect(tlsOf('', {})).toMatchObject({mode: 'prefer'});
		expect(tlsOf('', {PGSSLMODE: 'verify-full'})).toMatchObject({mode: 'verify-full', authorities: null});
		expect(tlsOf('sslrootcert=system')).toMatchObject({mode: 'verify-full', authorities: null});
		expect(tlsOf('sslmode=require&sslrootcert=/ca.pem')).toMatchObject({mode: 'verify-ca', authorities: '/ca.pem'});
		expect(tlsOf('sslcert=/c&sslkey=/k')).toMatchObject({own: {certificate: '/c', key: '/k'}});
	});
});
