/** What the looks of one search share. */
export type SearchProgress = {
	/** Ends it. */
	readonly signal?: AbortSignal;
	/** All that came before this place, which the store told, was looked at in vain; undefined before the first look. */
	seen?: number;
};
