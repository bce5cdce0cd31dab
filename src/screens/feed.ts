/** The connection to the live feed. */
export type FeedStatus = {readonly status: 'connecting' | 'live'} | {readonly status: 'lost'; readonly reason: string};
