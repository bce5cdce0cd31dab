import type {InviteBody, TeamBody} from '../../../contract/teams.js';
import type {FieldsOf} from '../../options.js';

export const teamFields: FieldsOf<TeamBody> = {id: true, name: true, owner_id: true, members: true, created_at: true};

export const inviteFields: FieldsOf<InviteBody> = {id: true, token: true, email: true, role: true, expiresAt: true};
