import {createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject, sign} from 'node:crypto';

/**
 * The signature of SendGrid's event webhook: ECDSA on P-256 over the timestamp and the body, in base64. The key pair comes
 * from the secret of the endpoint alone, so that it stays the same wherever that is given.
 */
export function sendgridSignature(secret: string, timestamp: string, body: string): string {
	return sign('sha256', Buffer.from(timestamp + body), keyOf(secret)).toString('base64');
}

/** What an app verifies these with, in base64 (SubjectPublicKeyInfo). */
export function sendgridVerificationKey(secret: string): string {
	return createPublicKey(keyOf(secret)).export({type: 'spki', format: 'der'}).toString('base64');
}

function keyOf(secret: string): KeyObject {
	const curve = createECDH('prime256v1');
	// Of 2^32 hashes about one is no key.
	for (let attempt = 0; ; attempt += 1) {
		const number = createHash('sha256').update(`tinbox sendgrid ${attempt} ${secret}`).digest();
		try {
			curve.setPrivateKey(number);
		} catch {
			continue;
		}

		const point = curve.getPublicKey();
		const part = (from: number, to: number) => point.subarray(from, to).toString('base64url');
		const jwk = {kty: 'EC', crv: 'P-256', d: number.toString('base64url'), x: part(1, 33), y: part(33, 65)};
		return createPrivateKey({key: jwk, format: 'jwk'});
	}
}
