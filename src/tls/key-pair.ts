import {createPrivateKey, X509Certificate} from 'node:crypto';
import {readFile, stat} from 'node:fs/promises';
import path from 'node:path';
import {CertificateError, causeOf, errorCode} from '../lib/errors.js';
import {nodeFiles, readPrivateFile, replaceFile} from '../lib/io/files.js';
import type {Log} from '../lib/log.js';

/** Certificate (with its chain) and private key, PEM. */
export type KeyPair = {readonly certificate: string; readonly key: string};

/** Files of a key pair. */
export type KeyPairFiles = {readonly [K in keyof KeyPair]: string};

export function keyPairFiles(folder: string, certificate: string, key: string): KeyPairFiles {
	return {certificate: path.join(folder, certificate), key: path.join(folder, key)};
}

/**
 * Reads a stored key pair; undefined if there is none. An incomplete or mismatched pair is logged and ignored. Throws if
 * another user may have created it.
 */
export function readKeptKeyPair(files: KeyPairFiles, log: Log): KeyPair | undefined {
	const [certificate, key] = [files.certificate, files.key].map(file => readKept(file, log));
	if (certificate === undefined && key === undefined) {
		return undefined;
	}

	if (certificate !== undefined && key !== undefined && parseKeyPair({certificate, key}) !== undefined) {
		return {certificate, key};
	}

	log.warn({}, `${files.certificate} and ${files.key} are damaged; creating new ones`);
	return undefined;
}

/** Stores a key pair for the next start. A failure is logged, and the pair stays in use until then. */
export async function keepKeyPair(files: KeyPairFiles, pair: KeyPair, log: Log): Promise<void> {
	try {
		await replaceFile(nodeFiles, files.key, async draft => draft.writeFile(pair.key));
		await replaceFile(nodeFiles, files.certificate, async draft => draft.writeFile(pair.certificate));
	} catch (error) {
		log.warn({err: error}, `${files.certificate} could not be saved for the next start: ${causeOf(error)}`);
	}
}

/** Parses the certificate of a key pair; undefined if the two do not match. */
export function parseKeyPair({certificate, key}: KeyPair): X509Certificate | undefined {
	try {
		const parsed = new X509Certificate(certificate);
		return parsed.checkPrivateKey(createPrivateKey(key)) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** Reads a file named by the user. Throws `CertificateError`, also for a pipe, which would block. */
export async function readNamed(file: string): Promise<string> {
	try {
		if ((await stat(file)).isFile()) {
			return await readFile(file, 'utf8');
		}
	} catch (error) {
		throw new CertificateError(`${file} cannot be read: ${causeOf(error)}.`);
	}

	throw new CertificateError(`${file} is not a file.`);
}

function readKept(file: string, log: Log): string | undefined {
	try {
		return readPrivateFile(file, {mended: sentence => log.warn({}, sentence)});
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}
