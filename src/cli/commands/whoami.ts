import type {Command} from 'commander';
import type {UserBody} from '../../contract/users.js';
import {reasonOf} from '../../lib/reason-of.js';
import type {Access, Context} from '../context.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../options.js';
import {note, printJson, printProperties} from '../output.js';

export type WhoamiOptions = {readonly json?: JsonFields};

/** The user, and what stands for the user here. */
type Whoami = UserBody & {
	readonly url: string;
	readonly profile: string | null;
	/** The first 16 characters, as in the list of keys. */
	readonly key_prefix: string | null;
	readonly token_expires_at: string | null;
};

const fields: FieldsOf<Whoami> = {
	id: true,
	name: true,
	email: true,
	plan: true,
	created_at: true,
	url: true,
	profile: true,
	key_prefix: true,
	token_expires_at: true,
};

export function fillWhoami(command: Command, context: Context, run = runWhoami): void {
	command.addOption(jsonOption(fields)).action(async (options: WhoamiOptions) => run(options, context));
}

export async function runWhoami({json}: WhoamiOptions, context: Context): Promise<void> {
	const access = await context.access();
	const {url, profile, apiKey, token} = access;
	const who: Whoami = {
		...(await userOf(access, context)),
		url,
		profile,
		key_prefix: apiKey?.slice(0, 16) ?? null,
		token_expires_at: token === null ? null : expiryOf(token),
	};
	if (json) {
		printJson(context.io, who, json);
	} else {
		printProperties(context.io, who);
	}
}

/** Whom the daemon knows by the token and the API key. One that it refuses is named, unless it refuses all there is. */
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

/** What the token says of itself (RFC 7519, section 4.1.4); null when it is no such token. */
function expiryOf(token: string): string | null {
	try {
		const {exp} = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
		return new Date(exp * 1000).toISOString();
	} catch {
		return null;
	}
}
