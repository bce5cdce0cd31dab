import {z} from 'zod';

/** `inbox`: what is shared with a session that begins, inboxes by id, address or name, or `all` for reading; may be given several times. */
export const openMcp = z.strictObject({
	inbox: z
		.union([z.string(), z.array(z.string())])
		.transform(names => [names].flat())
		.refine(names => names.length <= 10, 'must be given at most 10 times')
		.optional(),
});
