import {type Invite, type Team, withoutMember} from '../../../domain/accounts/team.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import type {Message} from '../../../domain/mail/message.js';
import type {Endpoint} from '../../../domain/webhooks/delivery.js';
import type {ByAge} from './by-age.js';
import type {TableName, TableRows} from './change.js';
import type {FaultIndexes} from './fault-indexes.js';
import type {Groups} from './indexes.js';
import type {KeyIndexes} from './key-tables.js';
import type {SendingIndexes} from './sending-tables.js';
import {finish, inTurn, type Steps} from './steps.js';
import type {Table} from './table.js';

type Tables = {readonly [T in TableName]: Table<TableRows[T]>};

/** What tells which rows belong to a user, a team or an inbox. */
type Belongings = {
	readonly tables: Tables;
	readonly keys: Pick<KeyIndexes, 'ofUser' | 'sessionsOfUser'>;
	readonly sending: Pick<SendingIndexes, 'templatesOfUser'>;
	readonly teamsOfMember: Groups<Team>;
	readonly invitesOfTeam: Groups<Invite>;
	readonly inboxesOfOwner: ByAge<Inbox>;
	readonly inboxesOfTeam: ByAge<Inbox>;
	readonly endpointsOfUser: Groups<Endpoint>;
	readonly messagesOfInbox: Groups<Message>;
	readonly faults: Pick<FaultIndexes, 'ofInbox' | 'hitsOf'>;
};

/** Removes these rows and what belongs to them, a row at each step. */
export function* removeEach(tables: Tables, table: TableName, ids: Iterable<string>): Steps {
	for (const id of ids) {
		const rest = tables[table].delete(id) ?? [];
		yield;
		yield* rest;
	}
}

/** Takes a deleted user out of the teams of others at once: whoever joins one writes down who is in it. The rest is out of sight. */
export function removeAllOf(userId: string, state: Belongings): Steps {
	const {tables, keys, sending, teamsOfMember, endpointsOfUser, inboxesOfOwner} = state;
	for (const teamId of [...teamsOfMember.newestFirst(userId)]) {
		const team = tables.teams.get(teamId);
		if (team) {
			tables.teams.put({...team, ...withoutMember(team, userId)});
		}
	}

	finish(removeEach(tables, 'keys', keys.ofUser.newestFirst(userId)));
	finish(removeEach(tables, 'webSessions', keys.sessionsOfUser.newestFirst(userId)));
	finish(removeEach(tables, 'templates', sending.templatesOfUser.newestFirst(userId)));
	return inTurn([
		removeEach(tables, 'teams', teamsOfMember.newestFirst(userId)),
		removeEach(tables, 'endpoints', endpointsOfUser.newestFirst(userId)),
		removeEach(tables, 'inboxes', [...inboxesOfOwner.newestFirst(userId)]),
	]);
}

/** Removes what a deleted inbox has; its faults first, which are few and act no more. */
export function removeAllIn(inboxId: string, {tables, messagesOfInbox, faults}: Belongings): Steps {
	return inTurn([
		removeEach(
			tables,
			'faults',
			faults.ofInbox.all(inboxId).map(({id}) => id),
		),
		removeEach(tables, 'messages', messagesOfInbox.newestFirst(inboxId)),
		removeEach(tables, 'faultHits', faults.hitsOf.newestFirst(inboxId)),
	]);
}

/** Removes the invites of a deleted team, and unlinks its inboxes. */
export function dissolve(teamId: string, {tables, invitesOfTeam, inboxesOfTeam}: Belongings): Steps {
	const unlinked = unlink(tables.inboxes, [...inboxesOfTeam.newestFirst(teamId)], teamId);
	return inTurn([removeEach(tables, 'invites', invitesOfTeam.newestFirst(teamId)), unlinked]);
}

/** Passes over those that were moved to another team meanwhile. */
function* unlink(inboxes: Table<Inbox>, ids: readonly string[], teamId: string): Steps {
	for (const id of ids) {
		if (inboxes.get(id)?.teamId === teamId) {
			yield inboxes.patch(id, {teamId: null});
		}
	}
}
