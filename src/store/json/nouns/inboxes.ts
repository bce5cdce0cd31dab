import {offsetOf} from '../../../contract/page.js';
import {AppError} from '../../../domain/errors.js';
import type {Inbox} from '../../../domain/inbox.js';
import type {InboxScope, InboxStore} from '../../store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {assertTeam, assertUser, byAge, rowsOf} from './rows.js';

export function createInboxStore(state: State, writer: Writer): InboxStore {
	const {inboxes} = state.tables;
	return {
		create: async inbox =>
			writer.exclusive(async () => {
				assertUser(state, inbox.ownerId);
				assertTeam(state, inbox.teamId);
				if (state.claims.isTaken(inbox)) {
					throw new AppError('address_taken', `The address ${inbox.address} is taken. Choose another one.`);
				}

				await writer.commit([['put', 'inboxes', inbox]]);
			}),
		get: async id => inboxes.get(id),
		byClaim: async claim => state.claims.holders(claim),
		list: async (scope, page) => {
			const all = visible(state, scope);
			return {rows: all.slice(offsetOf(page), offsetOf(page) + page.limit), total: all.length};
		},
		update: async (id, patch) =>
			writer.exclusive(async () => {
				assertTeam(state, patch.teamId);
				await writer.commit([['patch', 'inboxes', id, patch]]);
				return inboxes.get(id);
			}),
		delete: async id => writer.exclusive(async () => inboxes.has(id) && writer.commit([['delete', 'inboxes', id]])),
		expired: async now => rowsOf(inboxes, state.expiries.until(now)),
		nextExpiry: async () => state.expiries.next(),
	};
}

/** The inboxes of the scope, newest first. */
function visible(state: State, {userId, teamIds}: InboxScope): Inbox[] {
	const ofTeams = teamIds.flatMap(id => [...state.inboxesOfTeam.newestFirst(id)]);
	const rows = rowsOf(state.tables.inboxes, new Set([...state.inboxesOfOwner.newestFirst(userId), ...ofTeams]));
	return teamIds.length === 0 ? rows : rows.sort(byAge);
}
