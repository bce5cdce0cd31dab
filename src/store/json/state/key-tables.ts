import type {ApiKey, WebSession} from '../../../domain/accounts/user.js';
import {Agenda} from './agenda.js';
import type {TableName, TableRows} from './change.js';
import {Groups, Unique} from './indexes.js';
import {Table} from './table.js';

/** What is asked of API keys and web sessions. */
export class KeyIndexes {
	readonly ofHash = new Unique<ApiKey>(key => key.hash);
	readonly ofUser = new Groups<ApiKey>(key => [key.userId]);
	readonly sessionOfHash = new Unique<WebSession>(session => session.hash);
	readonly sessionsOfUser = new Groups<WebSession>(session => [session.userId]);
	readonly sessionsOfKey = new Groups<WebSession>(({keyId}) => (keyId === null ? [] : [keyId]));
	readonly sessionsByExpiry = new Agenda<WebSession>(({expiresAt}) => expiresAt);
}

/** API keys, with the web sessions that they made, which go with them at once. `state` is asked once it is whole. */
export function createKeyTables(state: {
	readonly keys: KeyIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
}) {
	const {ofHash, ofUser, sessionOfHash, sessionsOfUser, sessionsOfKey, sessionsByExpiry} = state.keys;
	return {
		keys: new Table<ApiKey>({
			indexes: [ofHash, ofUser],
			removed: key => {
				for (const id of [...sessionsOfKey.newestFirst(key.id)]) {
					state.tables.webSessions.delete(id);
				}
			},
		}),
		webSessions: new Table<WebSession>({indexes: [sessionOfHash, sessionsOfUser, sessionsOfKey, sessionsByExpiry]}),
	};
}
