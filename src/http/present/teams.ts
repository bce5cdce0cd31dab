import type {InviteBody, TeamBody} from '../../contract/teams.js';
import type {CreatedInvite, TeamWithUsers} from '../../services/accounts/teams.js';

export function teamBody({team, members}: TeamWithUsers): TeamBody {
	return {
		id: team.id,
		name: team.name,
		owner_id: team.ownerId,
		members: members.map(({member, user}) => ({
			user_id: user.id,
			user_name: user.name,
			user_email: user.email,
			role: member.role,
			joined_at: member.joinedAt,
		})),
		created_at: team.createdAt,
	};
}

export function inviteBody({invite: {id, email, role, expiresAt}, token}: CreatedInvite): InviteBody {
	return {id, token, email, role, expiresAt};
}
