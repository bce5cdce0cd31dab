/** A browser that is logged in to the web app. */
export type WebSession = {
	readonly id: string;
	readonly userId: string;
	/** Of the API key that made it, with which it ends; null when a token did. */
	readonly keyId: string | null;
	/** SHA-256 of its secret in hex; the secret itself is kept nowhere. */
	readonly hash: string;
	readonly createdAt: string;
	readonly expiresAt: string;
	readonly lastUsedAt: string | null;
	/** Whether it was ended before its time. Its id stays taken, for a link may name it that was used. */
	readonly isEnded: boolean;
};

/** How long the id stays taken: longer than any link opens something, also where clocks differ. */
const takenMs = 10 * 60_000;

/** What changes of a session that is ended. */
export function endedSession(
	{expiresAt}: Pick<WebSession, 'expiresAt'>,
	at: string,
): Pick<WebSession, 'isEnded' | 'expiresAt'> {
	const takenUntil = new Date(Date.parse(at) + takenMs).toISOString();
	return {isEnded: true, expiresAt: takenUntil < expiresAt ? takenUntil : expiresAt};
}
