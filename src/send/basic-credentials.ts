/**
 * The key that an `Authorization: Basic` header carries (RFC 7617): the password where the user is the one whom the provider
 * names, else `user:password`. Undefined where it carries none.
 */
export function basicCredentials(authorization: string, user: string): string | undefined {
	const [, encoded = ''] = /^Basic\s+([A-Za-z\d+/]+={0,2})\s*$/i.exec(authorization) ?? [];
	const credentials = Buffer.from(encoded, 'base64').toString();
	const key = credentials.startsWith(`${user}:`) ? credentials.slice(user.length + 1) : credentials;
	return key === '' || key === ':' ? undefined : key;
}
