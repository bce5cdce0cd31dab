import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {rootCertificates} from 'node:tls';
import {promisify} from 'node:util';

/** Where systems keep all authorities in one file: Debian and Alpine, Fedora, openSUSE, BSD. */
const files = [
	'/etc/ssl/certs/ca-certificates.crt',
	'/etc/pki/tls/certs/ca-bundle.crt',
	'/etc/ssl/ca-bundle.pem',
	'/etc/ssl/cert.pem',
];

/** Those of macOS: its own, and what an administrator added. */
const keychains = ['/System/Library/Keychains/SystemRootCertificates.keychain', '/Library/Keychains/System.keychain'];

/** The authorities that this system trusts, in PEM; those of Node.js where it has no place for them. */
export async function systemRoots(env: NodeJS.ProcessEnv, platform = process.platform): Promise<string> {
	if (platform === 'darwin') {
		const {stdout} = await promisify(execFile)('security', ['find-certificate', '-a', '-p', ...keychains], {
			env,
			maxBuffer: 16 * 1024 ** 2,
		});
		return stdout;
	}

	for (const file of files) {
		const pem = await readFile(file, 'utf8').catch(() => '');
		if (pem !== '') {
			return pem;
		}
	}

	return rootCertificates.join('\n');
}
