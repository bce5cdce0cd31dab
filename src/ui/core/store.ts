/** The connection to the live feed. */
export type FeedStatus = {readonly status: 'connecting' | 'live'} | {readonly status: 'lost'; readonly reason: string};

/** The words for each status. */
export const feedWords: Readonly<Record<FeedStatus['status'], string>> = {
	connecting: 'connecting',
	live: 'live',
	lost: 'reconnecting …',
};

/** A sentence about what was just done, or why it was not. */
export type Notice = {readonly text: string; readonly tone: 'info' | 'error'};
