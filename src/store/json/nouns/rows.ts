import {AppError} from '../../../domain/errors.js';
import type {State} from '../state/state.js';
import type {Table} from '../state/table.js';

/** The rows with these ids, in the same order. */
export function rowsOf<Row extends {readonly id: string}>(table: Table<Row>, ids: Iterable<string>): Row[] {
	return [...ids].map(id => table.get(id)).filter(row => row !== undefined);
}

type Created = {readonly id: string; readonly createdAt: string};

/** Puts the youngest first; ids decide between rows of the same moment. */
export function byAge(a: Created, b: Created): number {
	if (a.createdAt === b.createdAt) {
		return a.id < b.id ? 1 : -1;
	}

	return a.createdAt < b.createdAt ? 1 : -1;
}

/**
 * Throws `not_found` when the user is gone: what is made for somebody who was just deleted would stay behind for ever. To
 * be called in `exclusive`, where deletes are made, too.
 */
export function assertUser({tables}: State, id: string): void {
	if (!tables.users.has(id)) {
		throw new AppError('not_found', 'The user was deleted.');
	}
}

/** The same for the team that an inbox is to belong to, if any. */
export function assertTeam({tables}: State, id: string | null = null): void {
	if (id !== null && !tables.teams.has(id)) {
		throw new AppError('not_found', 'The team was deleted.');
	}
}
