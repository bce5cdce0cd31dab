import {z} from 'zod';
import {type Body, type Input, nameField, nullableText, requestObject, responseObject, timeField} from './common.js';

/** API key to create. */
export const createKeySchema = requestObject('CreateKey', {
	name: nameField.default('Default').describe('Label of the key (default `Default`).'),
});

export type CreateKey = Input<typeof createKeySchema>;

/** Created API key; only this response contains the full key. */
export const createdKeySchema = responseObject('CreatedKey', {
	id: z.string().describe('Id of the key.'),
	name: z.string().describe('Label of the key.'),
	created_at: timeField.describe('Time when the key was created.'),
	key: z.string().describe('Full key, only returned here.'),
	prefix: z.string().describe('First characters of the key.'),
	message: z.string().describe('Notice for people that the key cannot be retrieved again.'),
});

export type CreatedKeyBody = Body<typeof createdKeySchema>;

/** API key, without its secret part. */
const keySchema = responseObject('Key', {
	id: z.string().describe('Id of the key.'),
	name: z.string().describe('Label of the key.'),
	key_prefix: z.string().describe('First characters of the key.'),
	last_used_at: timeField.nullable().describe('Time of the last use; null if never used.'),
	created_at: timeField.describe('Time when the key was created.'),
});

export type KeyBody = Body<typeof keySchema>;

export const keyListSchema = responseObject('KeyList', {keys: z.array(keySchema).describe('API keys of the caller.')});

export type KeyListBody = Body<typeof keyListSchema>;

/** Login link for the web app to create: the inbox and message to open. */
export const createWebSessionLinkSchema = z
	.strictObject({
		inbox_id: z.string().optional().describe('Id or address of the inbox to open.'),
		message_id: z.string().optional().describe('Id of the message to open, or `latest`. Requires `inbox_id`.'),
	})
	.refine(({inbox_id, message_id}) => message_id === undefined || inbox_id !== undefined, {
		path: ['inbox_id'],
		error: 'is required with "message_id"',
	})
	.meta({id: 'CreateWebSessionLink', dependentRequired: {message_id: ['inbox_id']}});

export type CreateWebSessionLink = Input<typeof createWebSessionLinkSchema>;

/** Login link for the web app. */
export const webSessionLinkSchema = responseObject('WebSessionLink', {
	url: z.string().describe('Link that opens the web app and logs in; it works once.'),
	expires_at: timeField.describe('Time when the link expires.'),
});

export type WebSessionLinkBody = Body<typeof webSessionLinkSchema>;

/** Session of a browser that is logged in to the web app. */
const webSessionSchema = responseObject('WebSession', {
	id: z.string().describe('Id of the session.'),
	key_id: nullableText.describe(
		'Id of the API key that created the session; revoking the key ends it. Null if a token created it.',
	),
	created_at: timeField.describe('Time when the session was created.'),
	last_used_at: timeField.nullable().describe('Time of the last use; null if never used.'),
	expires_at: timeField.describe('Time when the session expires.'),
});

export type WebSessionBody = Body<typeof webSessionSchema>;

export const webSessionListSchema = responseObject('WebSessionList', {
	web_sessions: z.array(webSessionSchema).describe('Sessions of the web app.'),
});

export type WebSessionListBody = Body<typeof webSessionListSchema>;

/**
 * Body of `POST /app/session`; not needed with an API key or a token in the header. `link` is the text after `#enter=`. If it is
 * not for the account with this email address, it is not used.
 */
export const openWebSessionSchema = z.strictObject({link: z.string().optional(), account: z.string().optional()});

export type OpenWebSession = Input<typeof openWebSessionSchema>;

/** Response of `GET /app/session`: the user of the session. Not part of the OpenAPI document. */
export type OwnWebSessionBody = {readonly email: string; readonly expires_at: string};

/** Response of `POST /app/session`, with status 200 and without a session, to a link for another account than `account`. */
export type OtherAccountBody = Pick<OwnWebSessionBody, 'email'>;

/** Response of `POST /app/session`, besides the cookie. `app_key` is sent as `appHeader` with every request. */
export type OpenedWebSessionBody = OwnWebSessionBody & {readonly app_key: string};
