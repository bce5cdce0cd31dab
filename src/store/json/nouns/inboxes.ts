import {offsetOf, type Page} from '../../../contract/constants.js';
import type {Inbox, InboxPatch} from '../../../domain/mail/inbox.js';
import {changesRetention} from '../../../domain/mail/inbox.js';
import type {StoredInbox} from '../../dump.js';
import type {EventStore, InboxStore} from '../../port.js';
import {assertTeamExists, assertUserExists} from '../../rules/accounts.js';
import {assertAddressFree} from '../../rules/inboxes.js';
import {mergeLatestFirst} from '../state/indexes.js';
import type {State} from '../state/state.js';
import {rowsOf, slice} from '../state/table.js';
import type {Writer} from '../writer.js';
import type {Evictions} from './evictions.js';

/** Maximum number of inboxes that one commit deletes. */
const inboxesPerCommit = 500;

type InboxParts = {readonly events: Pick<EventStore, 'append'>; readonly evictions: Pick<Evictions, 'enforce'>};

/** Inboxes in the JSON store. */
export function createInboxStore(state: State, writer: Writer, {events, evictions}: InboxParts): InboxStore {
	const {inboxes} = state.tables;
	const ownerOf = (id: string) => inboxes.get(id)?.ownerId ?? '';
	return {
		create: async inbox =>
			writer.exclusive(inbox.ownerId, async () => {
				assertUserExists(state.tables.users.get(inbox.ownerId));
				assertTeamOf(inbox, state);
				assertAddressFree(inbox.address, state.addresses.isTaken(inbox));
				await writer.commit([['put', 'inboxes', inbox]]);
			}),
		get: async id => inboxOf(inboxes.get(id)),
		byAddress: async canonical => {
			const inbox = state.addresses.get(canonical);
			return inboxOf(inbox && inboxes.get(inbox.id));
		},
		list: async ({userId, teamIds, name}, page, now) => {
			const teams = [...new Set(teamIds)];
			const expired = state.expiries.in({userId, teamIds: teams}, now);
			if (name !== undefined) {
				const named = [...without(expired, state.inboxesOfName.in({userId, teamIds: teams}, name))];
				const ids = slice(named, offsetOf(page), page.limit);
				return {rows: rowsOf(inboxes, ids).map(row => inboxOf(row)), total: named.length};
			}

			const ids =
				teams.length === 0 && expired.size === 0
					? ownPage(state, userId, page)
					: sharedPage(state, userId, teams, expired, page);
			return {rows: rowsOf(inboxes, ids).map(row => inboxOf(row)), total: countOf(state, userId, teams) - expired.size};
		},
		update: async (id, patch) =>
			writer.exclusive(ownerOf(id), async () => {
				assertTeamOf(patch, state);
				await writer.commit([['patch', 'inboxes', id, patch]]);
				if (changesRetention(patch)) {
					await events.append(await evictions.enforce(id));
				}

				return inboxOf(inboxes.get(id));
			}),
		rotate: async id =>
			writer.exclusive(ownerOf(id), async () => {
				await writer.commit([['patch', 'inboxes', id, {generation: (inboxes.get(id)?.generation ?? 0) + 1}]]);
				return inboxOf(inboxes.get(id));
			}),
		delete: async id => writer.delete(ownerOf(id), () => (inboxes.has(id) ? [['delete', 'inboxes', id]] : [])),
		deleteExpired: async now => {
			const deleted: Inbox[] = [];
			await writer.delete('expired inboxes', () => {
				const ids = slice(state.expiries.until(now), 0, inboxesPerCommit);
				deleted.push(...ids.map(id => inboxOf(inboxes.getRetained(id))).filter(inbox => inbox !== undefined));
				return ids.map(id => ['delete', 'inboxes', id]);
			});
			return deleted;
		},
		nextExpiry: async () => state.expiries.next(),
	};
}

/** Throws `not_found` if the team of an inbox does not exist. */
function assertTeamOf({teamId}: Pick<InboxPatch, 'teamId'>, {tables}: State): void {
	if (teamId != null) {
		assertTeamExists(tables.teams.get(teamId));
	}
}

/** Converts a row to an inbox, without the number of evicted messages. */
function inboxOf(row: StoredInbox): Inbox;
function inboxOf(row: StoredInbox | undefined): Inbox | undefined;
function inboxOf(row: StoredInbox | undefined): Inbox | undefined {
	if (row?.evicted === undefined) {
		return row;
	}

	const {evicted: _, ...inbox} = row;
	return inbox;
}

function ownPage({inboxesOfOwner}: State, userId: string, page: Page): readonly string[] {
	return slice(inboxesOfOwner.newestFirst(userId, offsetOf(page)), 0, page.limit);
}

/** A page of own inboxes and of inboxes of the teams, without expired ones. */
function sharedPage(
	state: State,
	userId: string,
	teamIds: readonly string[],
	expired: ReadonlySet<string>,
	page: Page,
): readonly string[] {
	const ofTeams = teamIds.map(id => state.inboxesOfTeam.entries(id));
	const ids = mergeLatestFirst([state.inboxesOfOwner.entries(userId), ...ofTeams]);
	return slice(without(expired, ids), offsetOf(page), page.limit);
}

function* without(excluded: ReadonlySet<string>, ids: Iterable<string>): Generator<string> {
	for (const id of ids) {
		if (!excluded.has(id)) {
			yield id;
		}
	}
}

/** Number of own inboxes and of inboxes of the teams, each counted once. */
function countOf(state: State, userId: string, teamIds: readonly string[]): number {
	return teamIds.reduce(
		(sum, id) => sum + state.inboxesOfTeam.sizeOf(id) - state.inboxesOfMember.of(`${userId} ${id}`),
		state.inboxesOfOwner.sizeOf(userId),
	);
}
