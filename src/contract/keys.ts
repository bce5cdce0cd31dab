export type CreateKey = {
	/** Label (default `Default`). */
	readonly name?: string | undefined;
};

/** Created API key; only this response contains the full key. */
export type CreatedKeyBody = Pick<KeyBody, 'id' | 'name' | 'created_at'> & {
	readonly key: string;
	readonly prefix: string;
	readonly message: string;
};

export type KeyBody = {
	readonly id: string;
	readonly name: string;
	readonly key_prefix: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
};

export type KeyListBody = {readonly keys: readonly KeyBody[]};

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

export type WebSessionListBody = {readonly web_sessions: readonly WebSessionBody[]};
