import {z} from 'zod';
import type {WebSessionBody, WebSessionLinkBody, WebSessionListBody} from '../../../contract/keys.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const webSessionLinkSchema = bodySchema<WebSessionLinkBody>()(
	'WebSessionLink',
	z.object({
		url: z.string().describe('Link that opens the web app and logs in; it works once.'),
		expires_at: timeField.describe('Time when the link expires.'),
	}),
);

const webSessionSchema = bodySchema<WebSessionBody>()(
	'WebSession',
	z.object({
		id: z.string().describe('Id of the session.'),
		key_id: z
			.string()
			.nullable()
			.describe('Id of the API key that created the session; revoking the key ends it. Null if a token created it.'),
		created_at: timeField.describe('Time when the session was created.'),
		last_used_at: timeField.nullable().describe('Time of the last use; null if never used.'),
		expires_at: timeField.describe('Time when the session expires.'),
	}),
);

export const webSessionListSchema = bodySchema<WebSessionListBody>()(
	'WebSessionList',
	z.object({web_sessions: z.array(webSessionSchema).describe('Sessions of the web app.')}),
);
