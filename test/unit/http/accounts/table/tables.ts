import type {TestRows} from '../rows.js';
import {invitesTable} from './invites.js';
import {keysTable} from './keys.js';
import {limitsTable} from './limits.js';
import {teamsTable} from './teams.js';
import {usersTable} from './users.js';

/** Rows for all rules of the specification on users, teams, invites, keys and limits. */
export const tables: Readonly<Record<string, (testRows: TestRows) => void>> = {
	users: usersTable,
	teams: teamsTable,
	invites: invitesTable,
	keys: keysTable,
	limits: limitsTable,
};
