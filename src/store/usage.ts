/**
 * How much there is. A message counts for the owner of its inbox, by its weight, with the bytes of its mail; a delivery for the
 * owner of its endpoint, by its weight, while it is unfinished.
 */
export type Usage = Readonly<Record<'inboxes' | 'endpoints' | 'teams' | 'messages' | 'bytes' | 'deliveries', number>>;

/**
 * Told within a commit what there will be of a user and in all (which may be a second old); throws when that is too much, and
 * nothing is stored. Only a store that several processes write to asks: in one, who calls has made sure before.
 */
export type CheckUsage = (userId: string, usage: Usage, inAll: Usage) => void;
