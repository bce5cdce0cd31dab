import {fieldsOf} from './answers.js';

/**
 * Header that proves that a request comes from the web app, because forms cannot send it. Required below `/app/v1` except for reads.
 * Its value is `app_key`, the half of the session secret that the page stores, or any text while there is no session.
 */
export const appHeader = 'X-Tinbox-App';

/** Body of `POST /v1/web-sessions/links`: the inbox (id or address) and message (id or `latest`) to open. */
export type CreateWebSessionLink = {readonly inbox_id?: string | undefined; readonly message_id?: string | undefined};

/** Login link: `url` opens the web app and logs in, once. */
export type WebSessionLinkBody = {readonly url: string; readonly expires_at: string};

/** Body of `POST /app/session`: the text after `#enter=`; not needed with an API key or a token in the header. */
export type OpenWebSession = {readonly link?: string | undefined};

/** Response of `GET /app/session`: the user of the session. */
export type OwnWebSessionBody = {readonly email: string; readonly expires_at: string};

/** Response of `POST /app/session`, besides the cookie. `app_key` is sent as `appHeader` with every request. */
export type OpenedWebSessionBody = OwnWebSessionBody & {readonly app_key: string};

/** Session of a browser that is logged in to the web app. */
export type WebSessionBody = {
	readonly id: string;
	/** Id of the API key that created the session; revoking the key ends it. Null if a token created it. */
	readonly key_id: string | null;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string;
};

export const webSessionFields = fieldsOf<WebSessionBody>()('id key_id created_at last_used_at expires_at');

export type WebSessionListBody = {readonly web_sessions: readonly WebSessionBody[]};
