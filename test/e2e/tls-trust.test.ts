import {spawnSync} from 'node:child_process';
import {readFile, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {execa} from 'execa';
import {expect, test} from 'vitest';
import {issueAuthority} from '../../src/tls/issue.js';
import {ownEnv} from '../helpers/cli.js';
import {httpStub} from '../helpers/http-stub.js';
import {tempDir} from '../helpers/temp-dir.js';
import {tinboxOnPath} from '../helpers/tinbox-on-path.js';

const validity = {notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000)};

/** Makes folders of this machine ones of its own, for a script and whatever it starts. */
const privately = (script: string) => `
set -e
for folder in /etc/ssl/certs /usr/local/share/ca-certificates; do
	copy=$TMPDIR/$(basename $folder)
	cp -r --preserve=mode,links $folder $copy
	mount --bind $copy $folder
done
# Whom the store tells of changes, as Java's own does: the line begins with + or -.
mkdir $TMPDIR/hooks
mount --bind $TMPDIR/hooks /etc/ca-certificates/update.d
printf '#!/bin/sh\ncat >> %s/told' "$PWD" > $TMPDIR/hooks/told && chmod +x $TMPDIR/hooks/told
state() { { find /etc/ssl/certs /usr/local/share/ca-certificates -type f ! -path '*/java/*' -exec sha256sum {} +; find /etc/ssl/certs -type l -printf '%p %l\\n'; } | sort; }
${script}`;

const canMount = spawnSync('unshare', ['-rm', 'mount', '--bind', '/tmp', '/mnt']).status === 0;
const isDebian = spawnSync('sh', ['-c', 'command -v update-ca-certificates']).status === 0;

/** A machine with a daemon, of which only the API is there, and a store that goes with the script. */
async function world() {
	const home = await tempDir();
	const {certificate} = await issueAuthority('tinbox on box', validity, ['test']);
	const {url} = await httpStub(() => ({
		body: {smtp: {host: '127.0.0.1', port: 1025}, tls: {mode: 'offer', smtps: null, https_url: null, ca: certificate}},
	}));
	const env = await tinboxOnPath(home, {...ownEnv(home), TINBOX_URL: url, TINBOX_API_KEY: 'tbx_live_x'});
	await writeFile(path.join(home, 'ca.pem'), certificate);
	const run = async (script: string) =>
		execa('unshare', ['-rm', 'bash', '-c', privately(script)], {env, cwd: home, extendEnv: false, reject: false});
	return {home, run};
}

test.skipIf(!canMount || !isDebian)("the system's store takes the authority, and is as it was afterwards", async () => {
	const {home, run} = await world();
	const {exitCode, stdout, stderr} = await run(`
		update-ca-certificates --fresh > /dev/null 2>&1
		state > before
		rm told
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
		/^This changes the system's store:\n {2}install -m 644 \S+\/authority\.pem \/usr\/local\/share\/ca-certificates\/(tinbox-[\da-f]{16})\.crt\n {2}\S+\/update-ca-certificates\n/.exec(
			stderr,
		) ?? [];
	expect(await readFile(path.join(home, 'told'), 'utf8')).toBe(
		`+/etc/ssl/certs/${name}.pem\n-/etc/ssl/certs/${name}.pem\n`,
	);
	expect(stderr.match(/^This changes/gm)).toHaveLength(2);
});

test.skipIf(!canMount || !isDebian)('nothing is changed where nobody agrees', async () => {
	const {run} = await world();
	const {exitCode, stderr} = await run(
		'state > before; tinbox tls trust < /dev/null || code=$?; state | cmp - before; exit $code',
	);
	expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: expect.stringContaining('Agree beforehand with --yes.')});
});
