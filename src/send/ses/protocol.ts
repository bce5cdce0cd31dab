import type {SendRequest} from '../provider.js';

/** Who signed a request, and for which region. */
type Signing = {readonly accessKeyId: string; readonly region: string};

/** What is said of regions where a request names none. */
const defaultRegion = 'us-east-1';

/** `<access key>/<date>/<region>/<service>/aws4_request`; version 4A has no region. */
const credentialScope = /^(.+?)\/\d{8}(?:\/([a-z\d-]{1,32}))?\/\w+\/aws4_request$/;

/**
 * What the signature of a request (AWS Signature Version 4, in a header or in the query) says of who made it; undefined for
 * none. Whether it is right is not looked at.
 */
export function signingOf({headers, query}: Pick<SendRequest, 'headers' | 'query'>): Signing | undefined {
	const [, credential = query.get('X-Amz-Credential') ?? ''] =
		/^AWS4-[\w-]+\s.*?\bCredential=([^,\s]+)/.exec(headers['authorization'] ?? '') ?? [];
	const [, accessKeyId, region = defaultRegion] = credentialScope.exec(credential) ?? [];
	return accessKeyId === undefined ? undefined : {accessKeyId, region};
}

/** The region of a request, signed or not. */
export function regionOf(request: Pick<SendRequest, 'headers' | 'query'>): string {
	return signingOf(request)?.region ?? defaultRegion;
}

/** What XML 1.0, section 2.2, has no place for. */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Cs}]/gu;

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** An XML element: its children as they are. */
export function element(name: string, ...children: readonly string[]): string {
	return `<${name}>${children.join('')}</${name}>`;
}

/** An XML element that holds a text. */
export function textElement(name: string, text: string): string {
	const safe = text.replace(forbidden, '\ufffd');
	return element(
		name,
		safe.replace(/[&<>"]/g, sign => entities[sign] ?? sign),
	);
}
