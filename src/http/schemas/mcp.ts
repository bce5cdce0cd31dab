import {z} from 'zod';

/** `inbox`: inboxes to share with a new session, by id, address or name, or `all` for reading all; can be repeated. */
export const openMcp = z.strictObject({
	inbox: z
		.union([z.string(), z.array(z.string())])
		.transform(names => [names].flat())
		.refine(names => names.length <= 10, 'must be given at most 10 times')
		.optional(),
});
