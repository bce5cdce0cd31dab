import {describeFault} from '../../client/fault-words.js';
import {readSettingsFile} from '../../config/settings-file.js';
import {latest} from '../../contract/constants.js';
import {faultPresets} from '../../contract/fault-presets.js';
import {localProfile} from '../connect/profiles.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import type {NameSource, Suggestion} from './complete.js';

/** Maximum of suggestions of one kind; a list that fills the terminal several times helps nobody. */
const limit = 100;

/** Asks the daemon for the names. */
export function liveNames({api, account, operator, paths}: Context): NameSource {
	const inboxes = async (): Promise<readonly Suggestion[]> => {
		const {inboxes: found} = await (await api()).inboxes.list({limit});
		return found.flatMap(({id, email_address, name, message_count}) => [
			{value: email_address, description: `${message_count} messages`},
			...(name === null ? [] : [{value: name, description: email_address}]),
			{value: id, description: email_address},
		]);
	};
	const sources: Readonly<Record<string, (before: string | undefined) => Promise<readonly Suggestion[]>>> = {
		inbox: inboxes,
		inboxes,
		async message(inbox = '') {
			const client = await api();
			const found = await client.messages.list((await findInbox(client, inbox)).id, {limit});
			return [
				{value: latest, description: 'the newest message'},
				...found.map(({id, subject, from}) => ({value: id, description: `${subject} (${from})`})),
			];
		},
		async preset() {
			return Object.entries(faultPresets).map(([value, {description}]) => ({value, description}));
		},
		async fault(inbox = '') {
			const client = await api();
			const faults = await client.faults.list(inbox === '' ? null : (await findInbox(client, inbox)).id);
			return faults.map(fault => ({value: fault.name ?? fault.id, description: describeFault(fault)}));
		},
		async template(provider = '') {
			const {templates} = await (await api()).templates.list();
			const own = templates.filter(template => template.provider === provider);
			return own.map(({id, subject}) => ({value: id, description: subject ?? ''}));
		},
		async endpoint() {
			const {endpoints} = await (await api()).webhooks.list();
			return endpoints.map(({id, url}) => ({value: id, description: url}));
		},
		async delivery(endpoint = '') {
			const {deliveries} = await (await api()).webhooks.deliveries(endpoint, {limit});
			return deliveries.map(({id, status, created_at}) => ({value: id, description: `${status}, ${created_at}`}));
		},
		async team() {
			const teams = await (await account()).teams.list();
			return teams.map(({id, name}) => ({value: id, description: name}));
		},
		async member(team = '') {
			const {members} = await (await account()).teams.get(team);
			return members.map(({user_email, user_name, role}) => ({
				value: user_email,
				description: `${user_name}, ${role}`,
			}));
		},
		async key() {
			const client = await account();
			const [{keys}, {web_sessions}] = await Promise.all([client.keys.list(), client.webSessions.list()]);
			return [
				...keys.map(({id, name}) => ({value: id, description: name})),
				...web_sessions.map(({id, created_at}) => ({value: id, description: `web session, ${created_at}`})),
			];
		},
		async user() {
			const {users} = await (await operator()).users.list();
			return users.map(({email, name}) => ({value: email, description: name}));
		},
		async profile() {
			const {profiles = {}} = readSettingsFile(paths.settingsFile);
			return [localProfile, ...Object.keys(profiles)].map(value => ({value, description: 'login'}));
		},
	};
	return async (kind, operands) => sources[kind]?.(operands[0]) ?? [];
}
