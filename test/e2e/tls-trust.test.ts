import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod, mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect, test} from 'vitest';
import {issueAuthority} from '../../src/tls/issue.js';
import {ownEnv} from '../helpers/cli.js';
import {httpStub} from '../helpers/http-stub.js';
import {hasPty} from '../helpers/pty.js';
import {tempDir} from '../helpers/temp-dir.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

const validity = {notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000)};

/** Runs a script with private copies of the certificate folders of this machine. */
const withPrivateStore = (script: string) => `
set -e
for folder in /etc/ssl/certs /usr/local/share/ca-certificates; do
	copy=$TMPDIR/$(basename $folder)
	cp -r --preserve=mode,links $folder $copy
	mount --bind $copy $folder
done
# A hook that records the changes of the store, as Java's hook: each line begins with + or -.
mkdir $TMPDIR/hooks
mount --bind $TMPDIR/hooks /etc/ca-certificates/update.d
printf '#!/bin/sh\ncat >> %s/changes' "$PWD" > $TMPDIR/hooks/record && chmod +x $TMPDIR/hooks/record
state() { { find /etc/ssl/certs /usr/local/share/ca-certificates -type f ! -path '*/java/*' -exec sha256sum {} +; find /etc/ssl/certs -type l -printf '%p %l\\n'; } | sort; }
${script}`;

const canMount = spawnSync('unshare', ['-rm', 'mount', '--bind', '/tmp', '/mnt']).status === 0;
/** Options of `unshare` that run the command as user 1000. */
const asOtherUser = ['--user', '--map-user=1000', '--map-group=1000'];
const canBeOtherUser = spawnSync('unshare', [...asOtherUser, 'true']).status === 0;
const isDebian =
	existsSync('/etc/debian_version') && spawnSync('sh', ['-c', 'command -v update-ca-certificates']).status === 0;

/**
 * Starts an API stub that serves a CA, and runs scripts with a private trust store. With `rotatesCa`, the second and later
 * requests get another CA.
 */
async function openWorld({rotatesCa = false} = {}) {
	const home = await tempDir();
	const {certificate} = await issueAuthority('tinbox on box', validity, ['test']);
	const {certificate: later} = await issueAuthority('tinbox on box, later', validity, ['test']);
	const {url, requests} = await httpStub(() => {
		const ca = rotatesCa && requests.length > 1 ? later : certificate;
		return {body: {smtp: {host: '127.0.0.1', port: 1025}, tls: {mode: 'offer', smtps: null, https_url: null, ca}}};
	});
	const env = await tinboxOnPath(home, {...ownEnv(home), TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x'});
	await writeFile(path.join(home, 'ca.pem'), certificate);
	const unshared = async (...args: readonly string[]) =>
		execa('unshare', args, {env, cwd: home, extendEnv: false, reject: false});
	return {home, unshared, run: async (script: string) => unshared('-rm', 'bash', '-c', withPrivateStore(script))};
}

test.skipIf(!canMount || !isDebian)(
	'tls trust adds the CA to the system store, and tls untrust restores the store',
	async () => {
		const {home, run} = await openWorld();
		const {exitCode, stdout, stderr} = await run(`
		update-ca-certificates --fresh > /dev/null 2>&1
		state > before
		rm changes
		tinbox tls trust --yes
		openssl verify -CAfile /etc/ssl/certs/ca-certificates.crt ca.pem
		openssl verify -CApath /etc/ssl/certs ca.pem
		tinbox tls trust --yes
		tinbox tls untrust --yes
		state > after
		diff before after
		tinbox tls untrust --yes`);
		expect({exitCode, stdout, stderr}).toEqual({
			exitCode: 0,
			stdout: 'ca.pem: OK\nca.pem: OK',
			stderr: expect.any(String),
		});
		const [, name = ''] =
			/^This changes the trust store of the system:\n {2}install -m 644 \S+\/authority\.pem \/usr\/local\/share\/ca-certificates\/(tinbox-[\da-f]{16})\.crt\n {2}\S+\/update-ca-certificates\n/.exec(
				stderr,
			) ?? [];
		expect(await readFile(path.join(home, 'changes'), 'utf8')).toBe(
			`+/etc/ssl/certs/${name}.pem\n-/etc/ssl/certs/${name}.pem\n`,
		);
		expect(stderr.match(/^This changes/gm)).toHaveLength(2);
	},
);

test.skipIf(!canMount || !isDebian)(
	'tls trust completes an interrupted trust, and tls untrust an interrupted untrust',
	async () => {
		const {run} = await openWorld();
		const {exitCode, stdout} = await run(`
		update-ca-certificates --fresh > /dev/null 2>&1
		state > before
		file=$(tinbox tls trust 2>&1 < /dev/null | grep -o '/usr/local/share/.*')
		cp ca.pem $file
		tinbox tls trust --yes
		openssl verify -CAfile /etc/ssl/certs/ca-certificates.crt ca.pem
		rm $file
		tinbox tls untrust --yes
		state | diff before -`);
		expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: 'ca.pem: OK'});
	},
);

test.skipIf(!canMount || !isDebian)('tls trust changes nothing without a terminal or --yes', async () => {
	const {run} = await openWorld();
	const {exitCode, stderr} = await run(
		'state > before; tinbox tls trust < /dev/null || code=$?; state | cmp - before; exit $code',
	);
	expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringContaining('Confirm with --yes.')});
});

test.skipIf(!canMount || !isDebian || !hasPty)('tls trust asks for confirmation at a terminal', async () => {
	const {run} = await openWorld();
	const {exitCode, stdout} = await run(`
		state > before
		echo n | script -qec 'tinbox tls trust' /dev/null || code=$?
		state | cmp - before
		echo y | script -qec 'tinbox tls trust' /dev/null
		exit $code`);
	expect({exitCode, stdout}).toEqual({
		exitCode: 1,
		stdout: expect.stringMatching(
			/Continue\? \[y\/N\] .*Nothing was changed\..*Continue\? .*The system trusts the CA\./s,
		),
	});
});

/** Runs a script on a trust store like Fedora's, whose `update-ca-trust` is the script `update`. */
async function runOnFedora(update: string, script: string) {
	const {home, unshared} = await openWorld({rotatesCa: true});
	const program = path.join(home, 'bin/update-ca-trust');
	await writeFile(program, `#!/bin/sh\n${update}\n`);
	await chmod(program, 0o755);
	const anchors = path.join(home, 'etc/pki/ca-trust/source/anchors');
	await mkdir(anchors, {recursive: true});
	const {exitCode, stderr} = await unshared('-rm', 'sh', '-ec', `mount --bind '${home}/etc' /etc\n${script}`);
	return {exitCode, lines: stderr.split('\n'), program: `  ${program}`, remaining: await readdir(anchors)};
}

test.skipIf(!canMount)("tls trust adds each CA to Fedora's store, and tls untrust removes all of them", async () => {
	const folder = '/etc/pki/ca-trust/source/anchors';
	const trust = 'tinbox tls trust --yes';
	const script = `${trust}\ncmp ca.pem ${folder}/*.crt\n${trust}\ntinbox tls untrust --yes`;
	const {exitCode, lines, program, remaining} = await runOnFedora(`ls ${folder} | wc -l`, script);
	const install = expect.stringMatching(/^ {2}install -m 644 \S+ \/etc\/pki\/\S+\/anchors\/tinbox-[\da-f]{16}\.crt$/);
	const rm = expect.stringMatching(/^ {2}rm -f \/etc\/pki\/\S+\/anchors\/tinbox-[\da-f]{16}\.crt$/);
	const header = 'This changes the trust store of the system:';
	const done = 'The system trusts the CA. To undo this: tinbox tls untrust';
	expect({exitCode, lines, remaining}).toEqual({
		exitCode: 0,
		lines: [
			...[header, install, program, '1', done],
			...[header, install, program, '2', done],
			...[header, rm, program, rm, program, '1', '0', 'The system does not trust a CA of this tinbox.'],
		],
		remaining: [],
	});
});

test.skipIf(!canMount)('tls trust lists the commands that were not completed after a failure', async () => {
	const {exitCode, lines, program} = await runOnFedora('exit 3', 'tinbox tls trust --yes');
	expect(exitCode).toBe(1);
	expect(lines.slice(3)).toEqual([
		`"${program.trim()}" failed: exit code 3.`,
		'Commands that were not completed:',
		program,
	]);
});

test.skipIf(!canBeOtherUser || !isDebian)(
	'tls trust prints the commands for root if the user is not root',
	async () => {
		const {unshared} = await openWorld();
		const {exitCode, stderr} = await unshared(...asOtherUser, 'tinbox', 'tls', 'trust', '--yes');
		expect({exitCode, stderr}).toEqual({
			exitCode: 4,
			stderr: expect.stringMatching(
				/^Only root can change the trust store of the system\.\nRun this yourself:\n {2}sudo install -m 644 \S+ \/usr\S+\.crt\n {2}sudo \S+\/update-ca-certificates$/,
			),
		});
	},
);
