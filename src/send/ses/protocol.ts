import type {SendRequest} from '../provider.js';

/** Access key and region of a signature. */
type Signing = {readonly accessKeyId: string; readonly region: string};

/** Region of requests that name none. */
const defaultRegion = 'us-east-1';

/** `<access key>/<date>/<region>/<service>/aws4_request`; version 4A has no region. */
const credentialScope = /^(.+?)\/\d{8}(?:\/([a-z\d-]{1,32}))?\/\w+\/aws4_request$/;

/**
 * Reads the AWS Signature Version 4 in the header or the query; undefined if there is none. The signature is not verified.
 */
export function signingOf({headers, query}: Pick<SendRequest, 'headers' | 'query'>): Signing | undefined {
	const [, credential = query.get('X-Amz-Credential') ?? ''] =
		/^AWS4-[\w-]+\s.*?\bCredential=([^,\s]+)/.exec(headers['authorization'] ?? '') ?? [];
	const [, accessKeyId, region = defaultRegion] = credentialScope.exec(credential) ?? [];
	return accessKeyId === undefined ? undefined : {accessKeyId, region};
}

/** Region of a request, signed or not. */
export function regionOf(request: Pick<SendRequest, 'headers' | 'query'>): string {
	return signingOf(request)?.region ?? defaultRegion;
}

/** Characters that XML 1.0 does not allow (section 2.2). */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Cs}]/gu;

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** XML element with children that are already XML. */
export function element(name: string, ...children: readonly string[]): string {
	return `<${name}>${children.join('')}</${name}>`;
}

/** XML element with an escaped text. */
export function textElement(name: string, text: string): string {
	const safe = text.replace(forbidden, '\ufffd');
	return element(
		name,
		safe.replace(/[&<>"]/g, sign => entities[sign] ?? sign),
	);
}
