/** The certificates of a file in PEM, each as the base64 of its DER form; whatever else is in it is passed over. */
export function certificatesIn(pem: string): readonly string[] {
	return [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z\d+/=]+)-----END CERTIFICATE-----/g)].map(
		([, body = '']) => body.replace(/\s/g, ''),
	);
}

/** Undoes `certificatesIn`. */
export function pemOf(certificates: readonly string[]): string {
	return certificates
		.map(body => `-----BEGIN CERTIFICATE-----\n${body.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`)
		.join('');
}
