// The library requires its polyfill to be loaded first.
import 'reflect-metadata';
import {createPrivateKey, type webcrypto} from 'node:crypto';
import {isIP} from 'node:net';
import * as x509 from '@peculiar/x509';
import type {KeyPair} from './key-pair.js';
import {encodeConstraints, nameConstraintsId, type Subtree} from './names.js';

export type Validity = {readonly notBefore: Date; readonly notAfter: Date};

/** Request for a server certificate: self-signed (null), or signed by an existing or a new authority. */
export type IssueRequest = {
	readonly names: readonly string[];
	readonly validity: Validity;
	readonly authority: KeyPair | NewAuthority | null;
};

export type NewAuthority = {
	readonly commonName: string;
	readonly validity: Validity;
	/** Name constraints; unlimited if absent. */
	readonly subtrees?: readonly Subtree[];
};

/** Issued certificate and the authority that signed it. */
export type IssuedCertificate = {readonly leaf: KeyPair; readonly authority: KeyPair | null};

export async function issue({names, validity, authority: by}: IssueRequest): Promise<IssuedCertificate> {
	const authority = by && 'commonName' in by ? await issueAuthority(by.commonName, by.validity, by.subtrees) : by;
	return {leaf: await issueLeaf(names, validity, authority), authority};
}

const algorithm = {name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256'};
const {keyCertSign, cRLSign, digitalSignature} = x509.KeyUsageFlags;

/** Creates an authority that can sign server certificates only, and no other authorities. */
export async function issueAuthority(
	commonName: string,
	validity: Validity,
	subtrees?: readonly Subtree[],
): Promise<KeyPair> {
	const keys = await createKeys();
	const constraints = subtrees && [new x509.Extension(nameConstraintsId, true, encodeConstraints(subtrees))];
	return pairOf(
		keys,
		await x509.X509CertificateGenerator.createSelfSigned({
			...validity,
			keys,
			name: [{O: ['tinbox']}, {CN: [commonName]}],
			signingAlgorithm: algorithm,
			extensions: [
				new x509.BasicConstraintsExtension(true, 0, true),
				new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
				new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
				await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
				...(constraints ?? []),
			],
		}),
	);
}

/** Creates a server certificate, self-signed without an issuer. */
export async function issueLeaf(
	names: readonly string[],
	validity: Validity,
	issuer: KeyPair | null = null,
): Promise<KeyPair> {
	const keys = await createKeys();
	const authority = issuer && new x509.X509Certificate(issuer.certificate);
	const subject = [{O: ['tinbox']}];
	return pairOf(
		keys,
		await x509.X509CertificateGenerator.create({
			...validity,
			subject,
			issuer: authority?.subjectName ?? subject,
			publicKey: keys.publicKey,
			signingKey: issuer ? await importKey(issuer.key) : keys.privateKey,
			signingAlgorithm: algorithm,
			extensions: [
				new x509.BasicConstraintsExtension(false, undefined, true),
				new x509.KeyUsagesExtension(digitalSignature, true),
				new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
				new x509.SubjectAlternativeNameExtension(
					names.map(name => ({type: isIP(name) === 0 ? 'dns' : 'ip', value: name})),
				),
				await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
				await x509.AuthorityKeyIdentifierExtension.create(authority?.publicKey ?? keys.publicKey),
			],
		}),
	);
}

async function createKeys(): Promise<webcrypto.CryptoKeyPair> {
	return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
	const der = createPrivateKey(pem).export({type: 'pkcs8', format: 'der'});
	return crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

async function pairOf({privateKey}: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate): Promise<KeyPair> {
	const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
	const key = createPrivateKey({key: der, type: 'pkcs8', format: 'der'}).export({type: 'pkcs8', format: 'pem'});
	return {certificate: `${certificate.toString('pem')}\n`, key: String(key)};
}
