import {canonicalAddress, untagged} from '../../../domain/mail/address.js';
import type {DumpRows, DumpTable} from '../../dump.js';
import type {Transaction} from '../connection.js';
import {addDeliveries} from '../deliveries/add.js';
import {putReceipts} from '../nouns/receipts.js';
import {insertTemplates} from '../nouns/templates.js';
import {columnText} from '../row-text.js';

type Load<T extends DumpTable> = (sql: Transaction, rows: ReadonlyArray<DumpRows[T]>) => Promise<void>;

/** Adds rows behind those that are there, with what counts them; messages are not among them. */
export const loaders: {readonly [T in Exclude<DumpTable, 'messages'>]: Load<T>} = {
	users: async (sql, users) => {
		const emails = users.map(({email}) => columnText(canonicalAddress(email)));
		const there = await sql<{email: string}[]>`select email from users where email = any(${emails})`;
		const taken = new Set(there.map(({email}) => email));
		const rows = users.map((row, index) => {
			const email = emails[index] ?? '';
			// Where an older version let in several with one address, the first has it.
			const own = taken.has(email) ? `${email} ${row.id}` : email;
			taken.add(email);
			return {id: row.id, email: own, row: sql.json(row)};
		});
		await sql`insert into users ${sql(rows)}`;
	},
	keys: async (sql, keys) => {
		const rows = keys.map(row => ({id: row.id, user_id: row.userId, hash: row.hash, row: sql.json(row)}));
		await sql`insert into keys ${sql(rows)}`;
	},
	webSessions: async (sql, sessions) => {
		const rows = sessions.map(row => ({
			id: row.id,
			user_id: row.userId,
			key_id: row.keyId,
			hash: row.hash,
			expires_at: row.expiresAt,
			is_ended: row.isEnded,
			row: sql.json(row),
		}));
		await sql`insert into web_sessions ${sql(rows)}`;
	},
	teams: async (sql, teams) => {
		await sql`insert into teams ${sql(teams.map(row => ({id: row.id, owner_id: row.ownerId, row: sql.json(row)})))}`;
		const members = teams.flatMap(({id, members}) => members.map(({userId}) => ({team_id: id, user_id: userId})));
		await sql`insert into members ${sql(members)}`;
		await countForOwners(sql, 'teams', teams);
	},
	invites: async (sql, invites) => {
		const rows = invites.map(row => ({
			id: row.id,
			team_id: row.teamId,
			token_hash: row.tokenHash,
			email: columnText(canonicalAddress(row.email)),
			expires_at: row.expiresAt,
			accepted_at: row.acceptedAt,
			row: sql.json(row),
		}));
		await sql`insert into invites ${sql(rows)}`;
	},
	inboxes: async (sql, inboxes) => {
		const rows = inboxes.map(({evicted = 0, ...row}) => {
			const claim = canonicalAddress(row.address);
			const base = untagged(claim);
			return {
				id: row.id,
				owner_id: row.ownerId,
				team_id: row.teamId,
				claim: columnText(claim),
				base: base === null ? null : columnText(base),
				created_at: row.createdAt,
				expires_at: row.expiresAt,
				evicted,
				row: sql.json(row),
			};
		});
		await sql`insert into inboxes ${sql(rows)}`;
		await countForOwners(sql, 'inboxes', inboxes);
	},
	bounces: async (sql, bounces) => {
		const rows = bounces.map(row => ({
			id: row.id,
			message_id: row.messageId,
			owner_id: row.ownerId,
			due_at: row.dueAt,
			row: sql.json(row),
		}));
		await sql`insert into bounces ${sql(rows)}`;
	},
	endpoints: async (sql, endpoints) => {
		const rows = endpoints.map(row => ({
			id: row.id,
			user_id: row.userId,
			is_active: row.isActive,
			row: sql.json(row),
		}));
		await sql`insert into endpoints ${sql(rows)}`;
		await countForOwners(
			sql,
			'endpoints',
			endpoints.map(({userId}) => ({ownerId: userId})),
		);
	},
	deliveries: async (sql, deliveries) => {
		// No node has this name: nobody holds them.
		await addDeliveries(sql, deliveries, 'copy');
	},
	faults: async (sql, faults) => {
		const ownerOf = await ownersOfInboxes(sql, faults);
		const rows = faults.map(row => ({
			id: row.id,
			inbox_id: row.inboxId,
			owner_id: ownerOf(row),
			expires_at: row.expiresAt,
			row: sql.json(row),
		}));
		await sql`insert into faults ${sql(rows)}`;
	},
	faultCounts: async (sql, counts) => {
		const owners = await sql<{id: string; ownerId: string}[]>`
			select id, owner_id as "ownerId" from faults where id = any(${counts.map(({faultId}) => faultId)})
		`;
		const ownerOf = new Map(owners.map(({id, ownerId}) => [id, ownerId]));
		const rows = counts.map(({id, faultId, seen, acted, passedAt}) => ({
			fault_id: faultId,
			key: id === faultId ? '' : `=${columnText(id.slice(faultId.length + 1))}`,
			owner_id: ownerOf.get(faultId) ?? '',
			seen,
			acted,
			passed_at: passedAt,
		}));
		await sql`insert into fault_counts ${sql(rows)}`;
	},
	faultHits: async (sql, hits) => {
		const ownerOf = await ownersOfInboxes(sql, hits);
		const rows = hits.map(row => ({
			id: row.id,
			fault_id: row.faultId,
			inbox_id: row.inboxId,
			owner_id: ownerOf(row),
			row: sql.json(row),
		}));
		await sql`insert into fault_hits ${sql(rows)}`;
	},
	receipts: putReceipts,
	templates: insertTemplates,
};

type Placed = {readonly inboxId: string | null};

/** The owners of the inboxes of faults or hits; nobody (`''`) is that of the daemon's own. */
async function ownersOfInboxes(sql: Transaction, placed: readonly Placed[]): Promise<(row: Placed) => string> {
	const ids = placed.flatMap(({inboxId}) => inboxId ?? []);
	const inboxes = await sql<{id: string; ownerId: string}[]>`
		select id, owner_id as "ownerId" from inboxes where id = any(${ids})
	`;
	const ownerOf = new Map(inboxes.map(({id, ownerId}) => [id, ownerId]));
	return ({inboxId}) => ownerOf.get(inboxId ?? '') ?? '';
}

/** Counts each of the rows for its owner. */
async function countForOwners(
	sql: Transaction,
	what: 'inboxes' | 'endpoints' | 'teams',
	rows: ReadonlyArray<{readonly ownerId: string}>,
): Promise<void> {
	await sql`
		update users set ${sql(what)} = users.${sql(what)} + more.count
		from (select id, count(*) from unnest(${rows.map(({ownerId}) => ownerId)}::text[]) as id group by id) as more
		where users.id = more.id
	`;
}
