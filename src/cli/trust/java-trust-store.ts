import {createHash} from 'node:crypto';

/** What Java's own trust stores are locked with; it keeps nothing secret. */
export const javaStorePassword = 'changeit';

/** See `sun.security.provider.JavaKeyStore`, which every JDK has: numbers are big-endian. */
const magic = 0xfe_ed_fe_ed;
const version = 2;
const trustedCertificate = 2;
const whitener = 'Mighty Aphrodite';

/** A trust store of type JKS with these certificates, of which each is the base64 of its DER form. Same input, same bytes. */
export function javaTrustStore(certificates: readonly string[]): Buffer {
	const entries = certificates.flatMap((body, index) => {
		const der = Buffer.from(body, 'base64');
		const date = Buffer.alloc(8);
		return [int(trustedCertificate), text(`authority-${index}`), date, text('X.509'), int(der.length), der];
	});
	const store = Buffer.concat([int(magic), int(version), int(certificates.length), ...entries]);
	const password = Buffer.from(javaStorePassword, 'utf16le').swap16();
	return Buffer.concat([store, createHash('sha1').update(password).update(whitener).update(store).digest()]);
}

function int(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

function text(ascii: string): Buffer {
	const bytes = Buffer.from(ascii, 'ascii');
	return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
