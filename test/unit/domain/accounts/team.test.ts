import {describe, expect, test} from 'vitest';
import type {Role} from '../../../../src/contract/constants.js';
import {assertMay, roleIn, type Team, type TeamAction} from '../../../../src/domain/accounts/team.js';

const at = '2026-01-01T00:00:00.000Z';
const roles: readonly Role[] = ['owner', 'admin', 'member'];
const team: Team = {
	id: 't1',
	name: 'Team',
	ownerId: 'owner',
	members: roles.map(role => ({userId: role, role, joinedAt: at})),
	generation: 0,
	createdAt: at,
};

const permissions: ReadonlyArray<{action: TeamAction; to: readonly string[]}> = [
	{action: 'see the team', to: ['owner', 'admin', 'member']},
	{action: 'rename the team', to: ['owner']},
	{action: 'delete the team', to: ['owner']},
	{action: 'invite people', to: ['owner', 'admin']},
	{action: 'remove members', to: ['owner', 'admin']},
];

describe('roles', () => {
	test.each(permissions)('only the roles $to may $action', ({action, to}) => {
		for (const userId of [...roles, 'outsider']) {
			const attempt = () => assertMay(userId, action, team);
			if (to.includes(userId)) {
				attempt();
			} else {
				expect(attempt, userId).toThrow(expect.objectContaining({code: 'forbidden'}));
			}
		}
	});

	test('the error names the role and the action that it does not allow', () => {
		expect(() => assertMay('admin', 'delete the team', team)).toThrow(
			'Your role in this team, "admin", does not allow you to delete the team. Ask the team owner.',
		);
	});

	test('an outsider has no role', () => {
		expect(roleIn(team, 'outsider')).toBeUndefined();
		expect(roleIn(team, 'admin')).toBe('admin');
	});
});
