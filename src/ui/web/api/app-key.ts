const storageKey = 'tinbox app key';

/** Where nothing can be stored, it is good until the page is left. */
let known: string | undefined;

/**
 * The half of the session's secret that the page keeps, for all its tabs: what others serve at another port of the same host
 * gets the cookie, but not this.
 */
export const appKey = {
	/** Undefined while there is none, and thus no session. */
	get: (): string | undefined => stored() ?? known,
	keep(key: string): void {
		known = key;
		try {
			localStorage.setItem(storageKey, key);
		} catch {}
	},
	/** Calls the listener when another tab got one. */
	onKept(listener: () => void): void {
		addEventListener('storage', ({key}) => key === storageKey && listener());
	},
};

function stored(): string | undefined {
	try {
		return localStorage.getItem(storageKey) ?? undefined;
	} catch {
		return undefined;
	}
}
