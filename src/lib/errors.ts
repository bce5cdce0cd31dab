/** The code of a system error, such as `ENOENT`; undefined for any other. */
export function errorCode(error: unknown): string | undefined {
	return isError(error) && 'code' in error ? String(error.code) : undefined;
}

/** Also where it is of another realm, as those of Node.js are to the tests of Jest. */
function isError(value: unknown): value is Error {
	return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function isAggregate(value: unknown): value is AggregateError {
	return isError(value) && value.name === 'AggregateError';
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
	return isError(error) ? error.message : String(error);
}

const causes: Readonly<Record<string, string>> = {
	ERR_INVALID_URL: 'Invalid URL',
	ERR_INVALID_PROTOCOL: 'not an http or https URL',
	ERR_INVALID_CHAR: 'an API key or token contains an invalid character, such as a line break',
	ECONNRESET: 'the connection was closed before a response arrived',
	EPROTO: 'the server does not speak TLS',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by a trusted CA',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different host name',
};

/**
 * Why a connection or a file failed, in words for people: the system's own, but not those in which Node.js speaks of its
 * parts.
 */
export function causeOf(error: unknown): string {
	// Connecting to several addresses of one name fails with one error each and no message of its own.
	const [first = error] = isAggregate(error) ? error.errors : [];
	const code = errorCode(first) ?? '';
	if (code.startsWith('HPE_')) {
		return 'the server does not speak HTTP';
	}

	return causes[code] ?? (code.startsWith('ERR_') ? `Node.js error ${code}` : reasonOf(first));
}

/** A file or folder that cannot be trusted. The message says why and what to do, in whole sentences for a person. */
export class UnsafePathError extends Error {
	override readonly name = 'UnsafePathError';
}

/** The data directory cannot be opened. The message says why and what to do, in whole sentences for a person. */
export class DataDirError extends Error {
	override readonly name = 'DataDirError';
}

/** The store cannot be opened. The message says why and what to do, in whole sentences for a person. */
export class StoreError extends Error {
	override readonly name = 'StoreError';
}

/** A certificate cannot be used. The message names its file, and says why in whole sentences for a person. */
export class CertificateError extends Error {
	override readonly name = 'CertificateError';
}
