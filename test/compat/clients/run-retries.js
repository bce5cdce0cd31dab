/**
 * `npm run test:retries [-- name…]`: mail clients and Postfix retry under greylisting, a rate limit, a full mailbox, and
 * connections that drop after the mail was stored. Missing programs are skipped.
 */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const home = mkdtempSync(path.join(tmpdir(), 'tinbox-retries-'));
try {
	const [bin, retries] = ['../../../bin/tinbox.js', 'retries.js'].map(file => path.join(import.meta.dirname, file));
	const args = [String(bin), 'run', '--', process.execPath, String(retries), ...process.argv.slice(2)];
	const env = {...process.env, TINBOX_HOME: home};
	process.exitCode = spawnSync(process.execPath, args, {env, stdio: 'inherit'}).status ?? 1;
} finally {
	rmSync(home, {recursive: true, force: true});
}
