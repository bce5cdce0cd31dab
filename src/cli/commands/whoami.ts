import type {Command} from 'commander';
import {keyPrefixLength} from '../../contract/constants.js';
import {fieldsOf} from '../../contract/field-names.js';
import type {UserBody} from '../../contract/users.js';
import {reasonOf} from '../../lib/errors.js';
import type {Access, Context} from '../context.js';
import {note} from '../output/print.js';
import {fillShow} from './verbs.js';

/** The user, and the credentials used here. */
type Whoami = UserBody & {
	readonly url: string;
	readonly profile: string | null;
	/** As in the list of keys. */
	readonly key_prefix: string | null;
	readonly token_expires_at: string | null;
};

const fields = fieldsOf<Whoami>()('id name email plan created_at url profile key_prefix token_expires_at');

export function fillWhoami(command: Command, context: Context): void {
	fillShow(command, context, {fields, find: async () => whoami(context)});
}

async function whoami(context: Context): Promise<Whoami> {
	const access = await context.access();
	const {url, profile, apiKey, token} = access;
	return {
		...(await userOf(access, context)),
		url,
		profile,
		key_prefix: apiKey?.slice(0, keyPrefixLength) ?? null,
		token_expires_at: token === null ? null : expiryOf(token),
	};
}

/** The user of the token and the API key. If the daemon refuses one of them, stderr says so; if it refuses all, that is the error. */
async function userOf({apiKey, token}: Access, {io, api, account}: Context): Promise<UserBody> {
	const answers = await Promise.allSettled([
		...(token === null ? [] : [account().then(({users}) => users.me('token'))]),
		...(apiKey === null && token !== null ? [] : [api().then(({users}) => users.me('key'))]),
	]);
	const reasons = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
	const [user] = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
	if (!user) {
		throw reasons[0];
	}

	for (const reason of reasons) {
		note(io, reasonOf(reason));
	}

	return user;
}

/** The expiry in the token (RFC 7519, section 4.1.4); null when it is not a JWT. */
function expiryOf(token: string): string | null {
	try {
		const {exp} = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
		return new Date(exp * 1000).toISOString();
	} catch {
		return null;
	}
}
