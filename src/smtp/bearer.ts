/** The mechanisms that take a token: that of Gmail and Outlook, and that of RFC 7628. */
export const bearerMechanisms = ['XOAUTH2', 'OAUTHBEARER'] as const;

export type BearerMechanism = (typeof bearerMechanisms)[number];

/** How each begins, with the name of the user, which OAUTHBEARER need not tell (RFC 5801, section 4). */
const beginnings: Readonly<Record<BearerMechanism, RegExp>> = {
	XOAUTH2: /^user=([^\p{Cc}]+)$/u,
	OAUTHBEARER: /^[ny],(?:a=([^\p{Cc},]+))?,$/u,
};

/** What a message of the mechanism says; undefined when it is none. */
export function readBearer(
	mechanism: BearerMechanism,
	message: string,
): {readonly username: string; readonly accessToken: string} | undefined {
	const [start = '', ...fields] = message.split('\x01');
	const beginning = beginnings[mechanism].exec(start);
	const accessToken = fields
		.map(field => /^auth=bearer +([!-~]+)$/i.exec(field)?.[1])
		.find(token => token !== undefined);
	if (!beginning || accessToken === undefined || !message.endsWith('\x01\x01')) {
		return undefined;
	}

	const name = beginning[1] ?? '';
	const username = mechanism === 'XOAUTH2' ? name : name.replaceAll('=2C', ',').replaceAll('=3D', '=');
	return {username, accessToken};
}

/** What a client is told whose token is refused, in base64: as Gmail tells it, or as RFC 7628, section 3.2.2, does. */
export function bearerChallenge(mechanism: BearerMechanism): string {
	const failure = mechanism === 'XOAUTH2' ? {status: '401', schemes: 'bearer'} : {status: 'invalid_token'};
	return Buffer.from(JSON.stringify({...failure, scope: 'https://mail.google.com/'})).toString('base64');
}
