import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {StoreError} from '../../../../src/lib/errors.js';
import {assertUsable, Primary} from '../../../../src/store/postgres/session/primary.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {issueAuthority, issueLeaf} from '../../../../src/tls/issue.js';
import {askDatabase, type Cluster} from '../../../helpers/postgres-cluster.js';
import {silent} from '../../../helpers/resources.js';
import {tempDir} from '../../../helpers/temp-dir.js';
import {hasNoPostgres, openNode, testCluster} from '../postgres-fixture.js';

const day = 86_400_000;
const validity = {notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day)};

/** Resolves to "" if the server can be used, otherwise to the error message. */
async function verdictOn(url: string, env: Record<string, string> = {}): Promise<string> {
	try {
		const primary = await Primary.find(readConnectionSettings(url, {PGPASSFILE: '/nonexistent', ...env}), silent);
		onTestFinished(async () => primary.close());
		return '';
	} catch (error) {
		expect(error).toBeInstanceOf(StoreError);
		return String(error);
	}
}

/** Makes the server write one of its files. */
async function write(cluster: Cluster, name: string, text: string): Promise<void> {
	const lines = `regexp_split_to_table($text$${text.trim()}$text$, '\n')`;
	await askDatabase(
		cluster.url('postgres'),
		`copy (select ${lines}) to program 'umask 077; cat > ${cluster.data}/${name}'`,
	);
}

describe.skipIf(hasNoPostgres)('access to a PostgreSQL server', () => {
	const postgres = testCluster();
	let authorities: {readonly right: string; readonly wrong: string};
	let port = 0;
	beforeAll(async () => {
		const cluster = await postgres.cluster();
		port = cluster.port;
		const authority = await issueAuthority('box', validity);
		const leaf = await issueLeaf(['localhost'], validity, authority);
		authorities = {right: authority.certificate, wrong: (await issueAuthority('other', validity)).certificate};
		await write(cluster, 'server.crt', leaf.certificate);
		await write(cluster, 'server.key', leaf.key);
		const who = [
			'local all all trust',
			'host all postgres all trust',
			'hostssl all tlsonly all trust',
			'host all ann all scram-sha-256',
		];
		for (const statement of [
			`create role ann login password 'p:a/s@s'`,
			'create role tlsonly login',
			'create database ours',
			'alter system set ssl = on',
		]) {
			await askDatabase(cluster.url('postgres'), statement);
		}

		await write(cluster, 'pg_hba.conf', who.join('\n'));
		await askDatabase(cluster.url('postgres'), 'select pg_reload_conf()');
	});

	test('a missing or wrong password is reported', async () => {
		const place = `127.0.0.1:${port}/ours`;
		expect(await verdictOn(`postgres://ann:p%3Aa%2Fs%40s@${place}`)).toBe('');
		expect(await verdictOn(`postgres://ann@${place}`, {PGPASSWORD: 'p:a/s@s'})).toBe('');
		expect(await verdictOn(`postgres://ann:wrong@${place}`)).toContain(
			`at 127.0.0.1:${port} rejected the password of the user "ann".`,
		);
		expect(await verdictOn(`postgres://ann@${place}`)).toContain(
			'requires a password for the user "ann". Set it in the URL, in PGPASSWORD or in a password file.',
		);
		expect(await verdictOn(`postgres://bob@${place}`)).toMatch(
			/rejected the user "bob" \(.*pg_hba\.conf.*\)\. Check its pg_hba\.conf\./,
		);
	});

	test('sslmode has the same effect as in libpq', async () => {
		const folder = await tempDir();
		const [right, wrong] = [path.join(folder, 'right.pem'), path.join(folder, 'wrong.pem')];
		await writeFile(right, authorities.right);
		await writeFile(wrong, authorities.wrong);
		const on = async (host: string, query: string) => verdictOn(`postgres://tlsonly@${host}:${port}/ours?${query}`);
		expect(await on('127.0.0.1', 'sslmode=disable')).toContain('rejected the user "tlsonly"');
		for (const query of [
			'',
			'sslmode=allow',
			'sslmode=prefer',
			'sslmode=require',
			`sslmode=verify-ca&sslrootcert=${right}`,
		]) {
			expect(await on('127.0.0.1', query)).toBe('');
		}

		const allowing = await Primary.find(
			readConnectionSettings(`postgres://postgres@127.0.0.1:${port}/ours?sslmode=allow`, {}),
			silent,
		);
		onTestFinished(async () => allowing.close());
		const {sql} = allowing.session();
		expect(await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`).toEqual([{ssl: false}]);
		expect(await on('localhost', `sslmode=verify-full&sslrootcert=${right}`)).toBe('');
		expect(await on('127.0.0.1', `sslmode=verify-full&sslrootcert=${right}`)).toMatch(
			/cannot be used: its certificate is for a different host name/,
		);
		expect(await on('localhost', `sslmode=verify-ca&sslrootcert=${wrong}`)).toMatch(
			/cannot be used: .*(certificate|signature)/,
		);
		expect(await on('localhost', 'sslmode=verify-full')).toMatch(/cannot be used: .*certificate/);
	});

	test('a user without permissions is reported', async () => {
		const failure = await openNode(`postgres://tlsonly@127.0.0.1:${port}/ours`).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(StoreError);
		expect(String(failure)).toContain(
			`The user "tlsonly" has no permission for the database "ours" at 127.0.0.1:${port} (permission denied for database ours).`,
		);
	});
});

test('a PostgreSQL server that is too old or was replaced is not used', () => {
	expect(() => assertUsable({version: 120_022, isReadOnly: false, timeline: 1}, 0)).toThrow(
		'is PostgreSQL 12.22, but tinbox requires 13 or newer',
	);
	expect(() => assertUsable({version: 130_000, isReadOnly: false, timeline: 1}, 1)).not.toThrow();
	expect(() => assertUsable({version: 150_000, isReadOnly: false, timeline: 1}, 2)).toThrow(
		'was replaced by another server',
	);
});
