import {createHmac, generateKeyPairSync, sign} from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

const encode = (part: unknown) =>
	Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A compact JWS of any header and payload (a string stands for itself), with an HMAC over both. */
export function signToken(header: unknown, payload: unknown, secret: string, hash = 'sha256'): string {
	const signed = `${encode(header)}.${encode(payload)}`;
	return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** A token as tinbox issues it. `nowS` are seconds since 1970. */
export function goodToken(secret: string, userId: string, nowS: number, claims: Json = {}, header: Json = {}): string {
	return signToken(
		{alg: 'HS256', typ: 'JWT', ...header},
		{sub: userId, iss: 'tinbox', aud: 'tinbox', iat: nowS, exp: nowS + 600, email: 'a@example.com', ...claims},
		secret,
	);
}

/** The same bits of a signature, spelled with other spare bits in the last character. */
function respelled(token: string): string {
	const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
	const last = alphabet.indexOf(token.at(-1) ?? '');
	return token.slice(0, -1) + alphabet[last ^ 1];
}

/** Tokens that must all be refused, each with what is wrong about it. `secret` is the daemon's own. */
export function forgedTokens(
	secret: string,
	userId: string,
	nowS: number,
): ReadonlyArray<[what: string, token: string]> {
	const good = goodToken(secret, userId, nowS);
	const [header = '', payload = '', signature = ''] = good.split('.');
	const claim = (claims: Json) => goodToken(secret, userId, nowS, claims);
	const headed = (fields: Json, key = secret) => goodToken(key, userId, nowS, {}, fields);
	const claims = {sub: userId, iss: 'tinbox', aud: 'tinbox', iat: nowS, exp: nowS + 600};
	const usual = {alg: 'HS256', typ: 'JWT'};
	const {privateKey} = generateKeyPairSync('ed25519');
	const asymmetric = `${encode({alg: 'EdDSA', typ: 'JWT'})}.${payload}`;
	const flipped = Buffer.from(signature, 'base64url');
	flipped[0] = (flipped[0] ?? 0) ^ 1;

	return [
		['a word', 'token'],
		['dots alone', '..'],
		['no signature part', `${header}.${payload}`],
		['an empty signature', `${header}.${payload}.`],
		['a part too many', `${good}.${signature}`],
		['five parts, as an encrypted token has', `${good}.${signature}.${signature}`],
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
		['a type that is no text', headed({typ: 1})],
		['an unknown critical header', headed({crit: ['exp'], exp: nowS + 600})],
		['an unencoded payload', headed({crit: ['b64'], b64: false})],
		['a header that is no object', signToken('"HS256"', claims, secret)],
		['a header that is no JSON', signToken('{alg:HS256}', claims, secret)],
		['another secret', headed({}, `${secret}x`)],
		['an empty secret', headed({}, '')],
		['a key file of the forger’s choice', headed({kid: '../../../../dev/null'}, '')],
		['a key inside the header', headed({jwk: {kty: 'oct', k: encode('forger')}}, 'forger')],
		['a key from the net', headed({jku: 'https://example.com/keys'}, 'forger')],
		['a payload changed after signing', `${header}.${encode({...claims, exp: nowS + 6000})}.${signature}`],
		['a header changed after signing', `${encode({...usual, kid: '1'})}.${payload}.${signature}`],
		['a cut signature', good.slice(0, -4)],
		['one bit of the signature flipped', `${header}.${payload}.${flipped.toString('base64url')}`],
		['another spelling of the signature', respelled(good)],
		['padding', `${good}=`],
		['bytes after the signature', `${good}AAAA`],
		['expired 31 seconds ago', claim({exp: nowS - 31})],
		['not valid for 31 seconds', claim({nbf: nowS + 31})],
		['no expiry', claim({exp: undefined})],
		['an expiry that is text', claim({exp: String(nowS + 600)})],
		['an expiry that is null', claim({exp: null})],
		['a start that is text', claim({nbf: '0'})],
		['no time of issue', claim({iat: undefined})],
		['no issuer', claim({iss: undefined})],
		['another issuer', claim({iss: 'tinbox.example'})],
		['no audience', claim({aud: undefined})],
		['another audience', claim({aud: 'tinbox.example'})],
		['an empty list of audiences', claim({aud: []})],
		['no subject', claim({sub: undefined})],
		['a subject in a list', claim({sub: [userId]})],
		['a payload that is a list', signToken(usual, [claims], secret)],
		['a payload that is text', signToken(usual, '"claims"', secret)],
		['a payload that is no JSON', signToken(usual, '{sub:1}', secret)],
		['a payload that is a token', signToken(usual, good, secret)],
		['more than 8 KiB', claim({pad: 'x'.repeat(6200)})],
	];
}
