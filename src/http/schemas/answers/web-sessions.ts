import {z} from 'zod';
import type {WebSessionBody, WebSessionLinkBody, WebSessionListBody} from '../../../contract/web-sessions.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const webSessionLinkSchema = bodySchema<WebSessionLinkBody>()(
	'WebSessionLink',
	z.object({url: z.string().describe('Opens the web app, logged in, once.'), expires_at: timeField}),
);

const webSessionSchema = bodySchema<WebSessionBody>()(
	'WebSession',
	z.object({
		id: z.string(),
		key_id: z.string().nullable().describe('Of the API key that it ends with; null when a token made it.'),
		created_at: timeField,
		last_used_at: timeField.nullable(),
		expires_at: timeField,
	}),
);

export const webSessionListSchema = bodySchema<WebSessionListBody>()(
	'WebSessionList',
	z.object({web_sessions: z.array(webSessionSchema)}),
);
