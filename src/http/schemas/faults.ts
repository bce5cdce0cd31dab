import {z} from 'zod';
import {faultDrops, faultKeys, faultLimits, faultStages} from '../../contract/constants.js';
import {maxPatternLength} from '../../domain/mail/pattern.js';
import {countField, lifetimeField, nameField, pageFields, waitField, wholeNumber} from './fields.js';

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

const {delayMs, byteDelayMs, rateCount, rateSeconds, replyLength} = faultLimits;

const sizes = `must have 1 to ${maxPatternLength} characters`;

const pattern = z.string().min(1, sizes).max(maxPatternLength, sizes);

/** Upper limit of counts. */
const most = 1_000_000_000;

/** Field descriptions that requests and responses share. */
export const faultTexts = {
	stage:
		'SMTP stage at which the fault acts. `end` is after the mail data. Faults of an inbox can use `auth`, `mail`, `rcpt`, `data` and `end`.',
	name: 'Label of the fault; null for none.',
	match: 'Conditions that must all hold for the fault to act; null matches everything.',
	reply:
		'SMTP reply to send, such as `451 4.7.1 Try again later`. The code is 400 to 599; the enhanced code can be left out. Null keeps the normal reply; with `rate` it is a `450 4.7.1`.',
	times: 'Number of times the fault acts before it ends; null for no limit.',
	after: 'Number of matching occasions to let pass first; null for none.',
	per: 'Scope of the counts of `after`, `times`, `rate` and `probability`: each `recipient` (at `rcpt`) or each `message` (at `end`) is counted separately. Null counts all together.',
	delay_ms: 'Milliseconds to wait before the reply, or before the connection is closed; null for none.',
	byte_delay_ms: 'Milliseconds to wait before each byte of the reply; null for none.',
	drop: 'Point at which the connection is closed: `before` the reply; `mid`, in the middle of the mail data or of the reply; `after_commit`, after the mail is stored but before the reply. Null keeps it open.',
	rate: 'Rate limit: the fault acts on occasions above `count` within `seconds`; null for none.',
	probability: 'Probability that the fault acts, above 0 and at most 1; null acts always.',
	seed: 'Seed of the random sequence, for repeatable runs; null chooses one if there is a `probability`.',
	ttl: 'Seconds until the fault is deleted; null for no expiry.',
};

const patternText = 'Substring (case-insensitive) or `/regex/flags` (RE2 syntax; flags i, m, s, u)';

export const matchTexts = {
	from: `${patternText} of the envelope sender. Known from stage \`mail\` on.`,
	to: `${patternText} of a recipient. Known from stage \`rcpt\` on.`,
	subject: `${patternText} of the subject. Known at stage \`end\`.`,
	user: `${patternText} of the user name of the SMTP login. Known from stage \`auth\` on.`,
};

export const rateTexts = {
	count: 'Number of occasions that pass within the time window.',
	seconds: 'Length of the time window in seconds.',
};

/** The service checks which fields can be combined. */
export const createFault = z
	.strictObject({
		stage: z.enum(faultStages).describe(faultTexts.stage),
		name: optional(nameField).describe(faultTexts.name),
		match: optional(
			z.strictObject({
				from: pattern.optional().describe(matchTexts.from),
				to: pattern.optional().describe(matchTexts.to),
				subject: pattern.optional().describe(matchTexts.subject),
				user: pattern.optional().describe(matchTexts.user),
			}),
		).describe(faultTexts.match),
		reply: optional(z.string().max(replyLength, `must be at most ${replyLength} characters long`)).describe(
			faultTexts.reply,
		),
		times: optional(wholeNumber(1, most)).describe(faultTexts.times),
		after: optional(wholeNumber(0, most)).describe(faultTexts.after),
		per: optional(z.enum(faultKeys)).describe(faultTexts.per),
		delay_ms: optional(wholeNumber(0, delayMs)).describe(faultTexts.delay_ms),
		byte_delay_ms: optional(wholeNumber(0, byteDelayMs)).describe(faultTexts.byte_delay_ms),
		drop: optional(z.enum(faultDrops)).describe(faultTexts.drop),
		rate: optional(
			z.strictObject({
				count: wholeNumber(1, rateCount).describe(rateTexts.count),
				seconds: wholeNumber(1, rateSeconds).describe(rateTexts.seconds),
			}),
		).describe(faultTexts.rate),
		probability: optional(z.number().gt(0, 'must be more than 0').max(1)).describe(faultTexts.probability),
		seed: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)).describe(faultTexts.seed),
		ttl: optional(lifetimeField).describe(faultTexts.ttl),
	})
	.meta({id: 'CreateFault'});

export const listFaultHits = z.strictObject({
	...pageFields,
	wait: waitField,
	count: countField(1, most, 1).describe('Number of hits to wait for, in total (default 1). Only used with `wait`.'),
});
