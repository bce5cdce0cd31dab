/**
 * `npm run test:clients [-- name…]`: mail clients deliver over TLS with only the variables of `tinbox run --tls`. Missing
 * clients are skipped. `-- sending [name…]`: SDKs of sending APIs in other languages, which are installed first. The names
 * with wrong certificates are not in DNS: if mounting is permitted, the clients get a private /etc/hosts with them.
 */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const wrongNames = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'].map(name => `${name}.tinbox.test`);
const folder = mkdtempSync(path.join(tmpdir(), 'tinbox-clients-'));
try {
	const hosts = path.join(folder, 'hosts');
	writeFileSync(hosts, `${readFileSync('/etc/hosts', 'utf8')}\n127.0.0.1 ${wrongNames.join(' ')}\n`);
	const mounted = ['unshare', '-rm', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts];
	const wrapper = spawnSync(mounted[0] ?? '', [...mounted.slice(1), 'true']).status === 0 ? mounted : [];
	const [, , ...names] = process.argv;
	const isSending = names[0] === 'sending';
	const program = isSending ? 'sending.js' : 'deliver.js';
	const [bin, deliver] = ['../../../bin/tinbox.js', program].map(file => path.join(import.meta.dirname, file));
	const tinboxRun = [process.execPath, bin, 'run', ...(isSending ? [] : ['--tls']), '--', process.execPath, deliver];
	const [command = '', ...args] = [...wrapper, ...tinboxRun, ...names.slice(isSending ? 1 : 0)].map(String);
	const env = {...process.env, TMPDIR: folder, TINBOX_DOMAIN: 'tinbox.test'};
	process.exitCode = spawnSync(command, args, {env, stdio: 'inherit'}).status ?? 1;
} finally {
	rmSync(folder, {recursive: true, force: true});
}
