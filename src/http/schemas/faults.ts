import {z} from 'zod';
import {faultDrops, faultKeys, faultLimits, faultStages} from '../../contract/faults.js';
import {maxWait} from '../../contract/messages.js';
import {maxPatternLength} from '../../domain/pattern.js';
import {countField, lifetimeField, nameField, pageFields, wholeNumber} from './fields.js';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

const {delayMs, byteDelayMs, rateCount, rateSeconds, replyLength} = faultLimits;

const sizes = `must have 1 to ${maxPatternLength} characters`;

const pattern = z.string().min(1, sizes).max(maxPatternLength, sizes);

/** More occasions than there will be. */
const most = 1_000_000_000;

/** What they mean is said at `CreateFault`; what does not go together is told by the service. */
export const createFault = z
	.strictObject({
		stage: z.enum(faultStages),
		name: optional(nameField),
		match: optional(
			z.strictObject({
				from: pattern.optional(),
				to: pattern.optional(),
				subject: pattern.optional(),
				user: pattern.optional(),
			}),
		),
		reply: optional(z.string().max(replyLength, `must be at most ${replyLength} characters long`)),
		times: optional(wholeNumber(1, most)),
		after: optional(wholeNumber(0, most)),
		per: optional(z.enum(faultKeys)),
		delay_ms: optional(wholeNumber(0, delayMs)),
		byte_delay_ms: optional(wholeNumber(0, byteDelayMs)),
		drop: optional(z.enum(faultDrops)),
		rate: optional(z.strictObject({count: wholeNumber(1, rateCount), seconds: wholeNumber(1, rateSeconds)})),
		probability: optional(z.number().gt(0, 'must be more than 0').max(1)),
		seed: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
		ttl: optional(lifetimeField),
	})
	.meta({id: 'CreateFault'});

export const listFaultHits = z.strictObject({
	...pageFields,
	wait: countField(0, maxWait, 0),
	count: countField(1, most, 1),
});
