import {AppError} from '../../../domain/errors.js';
import type {State} from '../state/state.js';

/**
 * Throws `not_found` when the user is gone: what is made for somebody who was just deleted would stay behind for ever. To
 * be called in `exclusive`, where deletes are made, too.
 */
export function assertUser({tables}: State, id: string): void {
	if (!tables.users.has(id)) {
		throw new AppError('not_found', 'The user is gone.');
	}
}

/** The same for the team that an inbox is to belong to, if any. */
export function assertTeam({tables}: State, id: string | null = null): void {
	if (id !== null && !tables.teams.has(id)) {
		throw new AppError('not_found', 'The team is gone.');
	}
}
