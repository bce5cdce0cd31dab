import {readSettingsFile} from '../../config/settings-file.js';
import type {Context} from '../context.js';
import {findInbox} from '../find-inbox.js';
import {localProfile} from '../profiles.js';
import type {Candidate, Live} from './complete.js';

/** How many there are of each at most; a list that fills the terminal several times helps nobody. */
const limit = 100;

/** Asks the daemon what there is. */
export function liveNames({api, account, operator, paths}: Context): Live {
	const profiles = [localProfile, ...Object.keys(readSettingsFile(paths.settingsFile).profiles ?? {})].map(value => ({
		value,
		description: 'login',
	}));
	const inboxes = async (): Promise<readonly Candidate[]> => {
		const {inboxes: found} = await (await api()).inboxes.list({limit});
		return found.flatMap(({id, email_address, name, message_count}) => [
			{value: email_address, description: `${message_count} messages`},
			...(name === null ? [] : [{value: name, description: email_address}]),
			{value: id, description: email_address},
		]);
	};
	const messages = async (inbox = '') => {
		const client = await api();
		const found = await client.messages.list((await findInbox(client, inbox)).id, {limit});
		return [
			{value: 'latest', description: 'the newest message'},
			...found.map(({id, subject, from}) => ({value: id, description: `${subject} (${from})`})),
		];
	};
	const endpoints = async () => {
		const {endpoints: found} = await (await api()).webhooks.list();
		return found.map(({id, url}) => ({value: id, description: url}));
	};
	const deliveries = async (endpoint = '') => {
		const {deliveries: found} = await (await api()).webhooks.deliveries(endpoint, {limit});
		return found.map(({id, status, created_at}) => ({value: id, description: `${status}, ${created_at}`}));
	};
	const teams = async () =>
		(await (await account()).teams.list()).map(({id, name}) => ({value: id, description: name}));
	const members = async (team = '') => {
		const {members: found} = await (await account()).teams.get(team);
		return found.map(({user_email, user_name, role}) => ({value: user_email, description: `${user_name}, ${role}`}));
	};
	const keys = async () =>
		(await (await account()).keys.list()).keys.map(({id, name}) => ({value: id, description: name}));
	const users = async () =>
		(await (await operator()).users.list()).users.map(({email, name}) => ({value: email, description: name}));
	const sources: Readonly<Record<string, (before: string | undefined) => Promise<readonly Candidate[]>>> = {
		inbox: inboxes,
		inboxes,
		message: messages,
		endpoint: endpoints,
		delivery: deliveries,
		team: teams,
		member: members,
		key: keys,
		user: users,
		profile: async () => profiles,
	};
	return async (kind, operands) => sources[kind]?.(operands[0]) ?? [];
}
