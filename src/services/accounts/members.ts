import type {Store} from '../../store/store.js';

/** The ids of the team's members; none when there is no team. */
export async function memberIdsOf(
	teams: Pick<Store['teams'], 'get'>,
	teamId: string | null | undefined,
): Promise<readonly string[]> {
	const team = teamId == null ? undefined : await teams.get(teamId);
	return team?.members.map(({userId}) => userId) ?? [];
}
