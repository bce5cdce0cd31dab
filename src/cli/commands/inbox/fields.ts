import type {InboxBody} from '../../../contract/inboxes.js';
import type {FieldsOf} from '../../options.js';

export const inboxFields: FieldsOf<InboxBody> = {
	id: true,
	email_address: true,
	name: true,
	message_count: true,
	team_id: true,
	expires_at: true,
	created_at: true,
};
