import {offsetOf} from '../../../contract/constants.js';
import {canonicalAddress, untagged} from '../../../domain/mail/address.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {changesRetention, type Retention} from '../../../domain/mail/inbox.js';
import type {InboxStore} from '../../port.js';
import {assertTeamExists} from '../../rules/accounts.js';
import {assertAddressFree} from '../../rules/inboxes.js';
import {deleteInboxes, removeMailOf} from '../deletion.js';
import {idOf} from '../rows.js';
import {batchedFind} from '../session/batched.js';
import {background, type Database} from '../session/database.js';
import {columnText} from '../session/row-text.js';
import type {AnySql, Fragment, Row, Transaction} from '../session/session.js';
import {countForUser} from './usage.js';

/** Inboxes deleted per transaction, so that it stays short. */
const inboxesPerCommit = 500;

/** Value of `evict_at` that sorts before any time. */
export const evictAtOnce = '0';

/** Inboxes of users whose deletion is running are hidden. */
export function createInboxStore(database: Database): InboxStore {
	const byAddress = batchedFind(
		async addresses =>
			database.run(
				sql => sql<(Row<Inbox> & {readonly address: string})[]>`
					select i.address, i.row from inboxes i join users u on u.id = i.owner_id and u.email is not null
					where i.address = any(${[...new Set(addresses)]})
				`,
			),
		({address}) => address,
	);
	return {
		create: async (inbox, check) => {
			const canonical = canonicalAddress(inbox.address);
			const base = untagged(canonical);
			const keys = [inbox.ownerId, `address ${base ?? canonical}`, ...(inbox.teamId === null ? [] : [inbox.teamId])];
			await database.inTurn(inbox.ownerId, keys, async sql => {
				const {id, ownerId, teamId, createdAt, expiresAt} = inbox;
				const [addressColumn, baseColumn] = [columnText(canonical), base === null ? null : columnText(base)];
				await countForUser(sql, ownerId, {inboxes: 1}, check);
				await assertTeam(sql, teamId);
				const [, made] = await Promise.all([
					// Serializes claims of an address and its plus addresses.
					sql`select pg_advisory_xact_lock(hashtextextended(${baseColumn ?? addressColumn}, 0))`,
					sql`
						insert into inboxes (id, owner_id, team_id, address, base, created_at, expires_at, row)
						select
							${id}, ${ownerId}, ${teamId}, ${addressColumn}, ${baseColumn}, ${createdAt}, ${expiresAt}, ${sql.json(inbox)}
						where not exists (
							select from inboxes
							where address = ${addressColumn}
								or (owner_id <> ${ownerId} and (base = ${addressColumn} or address = ${baseColumn}))
						)
					`,
				]);
				assertAddressFree(inbox.address, made.count === 0);
			});
		},
		get: batchedFind(
			async ids =>
				database.rows<Inbox>(
					sql => sql`
						select i.row from inboxes i join users u on u.id = i.owner_id and u.email is not null
						where i.id = any(${ids})
					`,
				),
			idOf,
		),
		byAddress: async canonical => (await byAddress(columnText(canonical)))?.row,
		list: async ({userId, teamIds, name}, page, now) => {
			const teams = [...new Set(teamIds)];
			return database.run(async sql => {
				const matching = sql`
					from inboxes i join users u on u.id = i.owner_id and u.email is not null
					where ${teams.length === 0 ? sql`i.owner_id = ${userId}` : sql`(i.owner_id = ${userId} or i.team_id = any(${teams}))`}
						and (i.expires_at is null or i.expires_at > ${now})
						${name === undefined ? sql`` : sql`and i.row ->> 'name' = ${columnText(name)}`}
				`;
				const [rows, [counted]] = await Promise.all([
					sql<Row<Inbox>[]>`
						select i.row ${matching} order by i.created_at desc, i.id desc limit ${page.limit} offset ${offsetOf(page)}
					`,
					sql<{total: number}[]>`select count(*) as total ${matching}`,
				]);
				return {rows: rows.map(({row}) => row), total: counted?.total ?? 0};
			});
		},
		update: async (id, patch, by = background) => {
			const {teamId = null} = patch;
			return database.inTurn(by, teamId === null ? [id] : [id, teamId], async sql => {
				await assertTeam(sql, teamId);
				const patched = await patchInbox(sql, id, sql`row || ${sql.json(patch)}`);
				if (patched && changesRetention(patch)) {
					await sql`update inboxes set evict_at = ${evictAtOnce} where id = ${id} and messages > 0`;
				}

				return patched;
			});
		},
		rotate: async (id, by = background) =>
			database.inTurn(by, [id], async sql =>
				patchInbox(sql, id, sql`row || jsonb_build_object('generation', (row ->> 'generation')::int + 1)`),
			),
		delete: async (id, by = background) => {
			const deleted = await database.inTurn(by, [id], async sql => deleteInboxes(sql, [id]), removeMailOf);
			return deleted.length > 0;
		},
		deleteExpired: async now =>
			database.inTurn(
				background,
				['expired inboxes'],
				async sql => {
					const over = await sql<{id: string}[]>`
						select id from inboxes where expires_at <= ${now} order by expires_at limit ${inboxesPerCommit}
					`;
					return deleteInboxes(sql, over.map(idOf));
				},
				removeMailOf,
			),
		nextExpiry: async () => database.time(sql => sql`select min(expires_at) as at from inboxes`),
	};
}

async function patchInbox(sql: Transaction, id: string, patched: Fragment): Promise<Inbox | undefined> {
	const [updated] = await sql<Row<Inbox>[]>`
		update inboxes set row = ${patched}, team_id = (${patched}) ->> 'teamId'
		where id = ${id} and exists (select from users where id = owner_id and email is not null)
		returning row
	`;
	return updated?.row;
}

/** Throws `not_found` if the team does not exist. Prevents its deletion until the transaction ends. */
async function assertTeam(sql: Transaction, id: string | null): Promise<void> {
	if (id !== null) {
		const [team] = await sql`select from teams where id = ${id} for key share`;
		assertTeamExists(team);
	}
}

/** A locked inbox, with its own limits. */
export type LockedInbox = Retention & {
	readonly id: string;
	readonly ownerId: string;
	readonly teamId: string | null;
	readonly messages: number;
	readonly lastPlace: number;
	readonly clearedPlace: number;
	readonly latestAt: string | null;
	/** Time of the next check for messages to evict. */
	readonly evictAt: string | null;
};

/** Locks inboxes ordered by id to avoid deadlocks. Skips those that do not exist. */
export async function lockInboxes(sql: Transaction, ids: readonly string[]): Promise<readonly LockedInbox[]> {
	return sql<LockedInbox[]>`
		select
			id, owner_id as "ownerId", team_id as "teamId", messages, last_place as "lastPlace",
			cleared_place as "clearedPlace", latest_at as "latestAt", evict_at as "evictAt", ${ownRetention(sql)}
		from inboxes where id = any(${ids}) order by id for no key update
	`;
}

/** Columns with the inbox's own limits. */
export function ownRetention(sql: AnySql) {
	return sql`(row ->> 'keep')::bigint as keep, (row ->> 'keepForMs')::bigint as "keepForMs"`;
}
