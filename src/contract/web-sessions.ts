import {fieldsOf} from './answers.js';

/**
 * The header by which the web app shows that a request is its own, which no form can send: on all but reads below `/app/v1`. Its
 * value is the half of the session's secret that the page keeps (`app_key`); anything else while there is none.
 */
export const appHeader = 'X-Tinbox-App';

/** `POST /v1/web-sessions/links`: what the page shows first; ids or addresses, of a message also `latest`. */
export type CreateWebSessionLink = {readonly inbox_id?: string | undefined; readonly message_id?: string | undefined};

/** `url` opens the web app, logged in, once. */
export type WebSessionLinkBody = {readonly url: string; readonly expires_at: string};

/** `POST /app/session`, with the text behind `#enter=`, or with an API key or a token in the header. */
export type OpenWebSession = {readonly link?: string | undefined};

/** `GET /app/session`: whose the session is. */
export type OwnWebSessionBody = {readonly email: string; readonly expires_at: string};

/** What `POST /app/session` answers, beside the cookie. `app_key` is sent with every request, as `appHeader`. */
export type OpenedWebSessionBody = OwnWebSessionBody & {readonly app_key: string};

/** A browser that is logged in. */
export type WebSessionBody = {
	readonly id: string;
	/** Of the API key that it ends with; null when a token made it. */
	readonly key_id: string | null;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string;
};

export const webSessionFields = fieldsOf<WebSessionBody>()('id key_id created_at last_used_at expires_at');

export type WebSessionListBody = {readonly web_sessions: readonly WebSessionBody[]};
