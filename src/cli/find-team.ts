import type {Client} from '../client/index.js';
import type {MemberBody, TeamBody} from '../contract/teams.js';
import {ambiguous} from './ambiguous.js';
import type {Context} from './context.js';
import {Exit, exitCodes} from './exit.js';

/** The team with this id or this name. Several of one name are an error that lists them. */
export async function findTeam({teams}: Pick<Client, 'teams'>, text: string): Promise<TeamBody> {
	const all = await teams.list();
	const byId = all.find(team => team.id === text);
	const [found, ...others] = byId ? [byId] : all.filter(team => team.name === text);
	if (others.length > 0) {
		const ids = all.filter(team => team.name === text).map(team => team.id);
		throw ambiguous(`${ids.length} teams have the name "${text}".`, 'id', ids);
	}

	// The API says best whether a team that is not ours exists.
	return found ?? teams.get(text);
}

/** The id of a team. What looks like one is taken as it is, so that an API key alone will do. */
export async function teamId(text: string, {account}: Pick<Context, 'account'>): Promise<string> {
	return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) ? text : (await findTeam(await account(), text)).id;
}

/** The member with this user id or email address. */
export function findMember({name, members}: TeamBody, text: string): MemberBody {
	const found =
		members.find(({user_id}) => user_id === text) ??
		members.find(({user_email}) => user_email.toLowerCase() === text.toLowerCase());
	if (!found) {
		throw new Exit(exitCodes.notFound, 'not_found', `There is no member "${text}" in ${name}.`, {
			hint: `See who there is: tinbox teams show ${JSON.stringify(name)}`,
		});
	}

	return found;
}
