import {createHmac, generateKeyPairSync, sign} from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

const encode = (part: unknown) =>
	Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A compact JWS with an HMAC. Header and payload are encoded as JSON, strings as they are. */
export function signToken(header: unknown, payload: unknown, secret: string, hash = 'sha256'): string {
	const signed = `${encode(header)}.${encode(payload)}`;
	return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** A valid token, with optional changes. `nowS` is in seconds since 1970. */
export function validToken(secret: string, userId: string, nowS: number, claims: Json = {}, header: Json = {}): string {
	return signToken(
		{alg: 'HS256', typ: 'JWT', ...header},
		{sub: userId, iss: 'tinbox', aud: 'tinbox', iat: nowS, exp: nowS + 600, email: 'a@example.com', ...claims},
		secret,
	);
}

/** Changes the unused bits in the last Base64 character of the signature, which decodes to the same bytes. */
function withOtherEncoding(token: string): string {
	const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
	const last = alphabet.indexOf(token.at(-1) ?? '');
	return token.slice(0, -1) + alphabet[last ^ 1];
}

/** Tokens that must be rejected, each with its defect. `secret` belongs to the daemon. */
export function forgedTokens(
	secret: string,
	userId: string,
	nowS: number,
): ReadonlyArray<[defect: string, token: string]> {
	const valid = validToken(secret, userId, nowS);
	const [header = '', payload = '', signature = ''] = valid.split('.');
	const claim = (claims: Json) => validToken(secret, userId, nowS, claims);
	const headed = (fields: Json, key = secret) => validToken(key, userId, nowS, {}, fields);
	const claims = {sub: userId, iss: 'tinbox', aud: 'tinbox', iat: nowS, exp: nowS + 600};
	const usual = {alg: 'HS256', typ: 'JWT'};
	const {privateKey} = generateKeyPairSync('ed25519');
	const asymmetric = `${encode({alg: 'EdDSA', typ: 'JWT'})}.${payload}`;
	const flipped = Buffer.from(signature, 'base64url');
	flipped[0] = (flipped[0] ?? 0) ^ 1;

	return [
		['a single word', 'token'],
		['only dots', '..'],
		['no signature part', `${header}.${payload}`],
		['an empty signature', `${header}.${payload}.`],
		['four parts', `${valid}.${signature}`],
		['five parts, like an encrypted token', `${valid}.${signature}.${signature}`],
		['the algorithm "none", unsigned', `${encode({alg: 'none', typ: 'JWT'})}.${payload}.`],
		['the algorithm "none", signed', headed({alg: 'none'})],
		['the algorithm "nOnE"', headed({alg: 'nOnE'})],
		['the algorithm HS384', signToken({...usual, alg: 'HS384'}, claims, secret, 'sha384')],
		['the algorithm HS512', signToken({...usual, alg: 'HS512'}, claims, secret, 'sha512')],
		['the algorithm EdDSA', `${asymmetric}.${sign(null, Buffer.from(asymmetric), privateKey).toString('base64url')}`],
		['the algorithm RS256 over an HMAC', headed({alg: 'RS256'})],
		['the algorithm in lower case', headed({alg: 'hs256'})],
		['a list of algorithms', headed({alg: ['HS256']})],
		['no algorithm', headed({alg: undefined})],
		['no type', headed({typ: undefined})],
		['the type of an access token', headed({typ: 'at+jwt'})],
		['a type that is not a string', headed({typ: 1})],
		['an unknown critical header', headed({crit: ['exp'], exp: nowS + 600})],
		['an unencoded payload', headed({crit: ['b64'], b64: false})],
		['a header that is not an object', signToken('"HS256"', claims, secret)],
		['a header that is not JSON', signToken('{alg:HS256}', claims, secret)],
		['another secret', headed({}, `${secret}x`)],
		['an empty secret', headed({}, '')],
		['a key file of the forger’s choice', headed({kid: '../../../../dev/null'}, '')],
		['a key inside the header', headed({jwk: {kty: 'oct', k: encode('forger')}}, 'forger')],
		['a key from a URL', headed({jku: 'https://example.com/keys'}, 'forger')],
		['a payload changed after signing', `${header}.${encode({...claims, exp: nowS + 6000})}.${signature}`],
		['a header changed after signing', `${encode({...usual, kid: '1'})}.${payload}.${signature}`],
		['a truncated signature', valid.slice(0, -4)],
		['one bit of the signature flipped', `${header}.${payload}.${flipped.toString('base64url')}`],
		['another encoding of the same signature', withOtherEncoding(valid)],
		['padding', `${valid}=`],
		['bytes after the signature', `${valid}AAAA`],
		['expired 31 seconds ago', claim({exp: nowS - 31})],
		['not valid for 31 seconds', claim({nbf: nowS + 31})],
		['no expiry', claim({exp: undefined})],
		['an expiry that is a string', claim({exp: String(nowS + 600)})],
		['an expiry that is null', claim({exp: null})],
		['a start that is a string', claim({nbf: '0'})],
		['no issue time', claim({iat: undefined})],
		['no issuer', claim({iss: undefined})],
		['another issuer', claim({iss: 'tinbox.example'})],
		['no audience', claim({aud: undefined})],
		['another audience', claim({aud: 'tinbox.example'})],
		['an empty list of audiences', claim({aud: []})],
		['no subject', claim({sub: undefined})],
		['a subject that is a list', claim({sub: [userId]})],
		['a payload that is a list', signToken(usual, [claims], secret)],
		['a payload that is a string', signToken(usual, '"claims"', secret)],
		['a payload that is not JSON', signToken(usual, '{sub:1}', secret)],
		['a payload that is a token', signToken(usual, valid, secret)],
		['more than 8 KiB', claim({pad: 'x'.repeat(6200)})],
	];
}
