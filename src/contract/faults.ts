import {z} from 'zod';
import {
	amountField,
	type Body,
	clientField,
	countParameter,
	type Input,
	lifetimeField,
	nameField,
	nullableText,
	pageFields,
	pageParameters,
	type Query,
	requestObject,
	responseObject,
	timeField,
	totalField,
	waitParameter,
	wholeNumber,
} from './common.js';
import {faultDrops, faultKeys, faultLimits, faultStages, maxPatternLength} from './constants.js';

/** Descriptions that requests and responses share. */
const texts = {
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

const matchTexts = {
	from: `${patternText} of the envelope sender. Known from stage \`mail\` on.`,
	to: `${patternText} of a recipient. Known from stage \`rcpt\` on.`,
	subject: `${patternText} of the subject. Known at stage \`end\`.`,
	user: `${patternText} of the user name of the SMTP login. Known from stage \`auth\` on.`,
};

const rateTexts = {
	count: 'Number of occasions that pass within the time window.',
	seconds: 'Length of the time window in seconds.',
};

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

const patternProblem = `must have 1 to ${maxPatternLength} characters`;

const patternField = z.string().min(1, patternProblem).max(maxPatternLength, patternProblem);

/** Conditions of a fault; all must hold. */
const matchField = z.strictObject({
	from: patternField.optional().describe(matchTexts.from),
	to: patternField.optional().describe(matchTexts.to),
	subject: patternField.optional().describe(matchTexts.subject),
	user: patternField.optional().describe(matchTexts.user),
});

export type FaultMatch = Input<typeof matchField>;

/** Rate limit: more than `count` within a sliding window of `seconds`. */
const rateField = z.strictObject({
	count: wholeNumber(1, faultLimits.rateCount).describe(rateTexts.count),
	seconds: wholeNumber(1, faultLimits.rateSeconds).describe(rateTexts.seconds),
});

export type FaultRate = Input<typeof rateField>;

const maxCount = 1_000_000_000;

/** Fault to create. The service checks which fields can be combined. */
export const createFaultSchema = requestObject('CreateFault', {
	stage: z.enum(faultStages).describe(texts.stage),
	name: optional(nameField).describe(texts.name),
	match: optional(matchField).describe(texts.match),
	reply: optional(
		z.string().max(faultLimits.replyLength, `must be at most ${faultLimits.replyLength} characters long`),
	).describe(texts.reply),
	times: optional(wholeNumber(1, maxCount)).describe(texts.times),
	after: optional(wholeNumber(0, maxCount)).describe(texts.after),
	per: optional(z.enum(faultKeys)).describe(texts.per),
	delay_ms: optional(wholeNumber(0, faultLimits.delayMs)).describe(texts.delay_ms),
	byte_delay_ms: optional(wholeNumber(0, faultLimits.byteDelayMs)).describe(texts.byte_delay_ms),
	drop: optional(z.enum(faultDrops)).describe(texts.drop),
	rate: optional(rateField).describe(texts.rate),
	probability: optional(z.number().gt(0, 'must be more than 0').max(1)).describe(texts.probability),
	seed: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)).describe(texts.seed),
	ttl: optional(lifetimeField).describe(texts.ttl),
});

export type CreateFault = Input<typeof createFaultSchema>;

const ownerField = nullableText.describe('Id of the inbox that the fault belongs to; null for a fault of the daemon.');

/** Rule that makes mail fail on purpose. */
export const faultSchema = responseObject('Fault', {
	stage: z.enum(faultStages).describe(texts.stage),
	name: nullableText.describe(texts.name),
	match: z
		.object({
			from: z.string().describe(matchTexts.from).optional(),
			to: z.string().describe(matchTexts.to).optional(),
			subject: z.string().describe(matchTexts.subject).optional(),
			user: z.string().describe(matchTexts.user).optional(),
		})
		.nullable()
		.describe(texts.match),
	reply: nullableText.describe(texts.reply),
	times: amountField.nullable().describe(texts.times),
	after: amountField.nullable().describe(texts.after),
	per: z.enum(faultKeys).nullable().describe(texts.per),
	delay_ms: amountField.nullable().describe(texts.delay_ms),
	byte_delay_ms: amountField.nullable().describe(texts.byte_delay_ms),
	drop: z.enum(faultDrops).nullable().describe(texts.drop),
	rate: z
		.object({
			count: amountField.describe(rateTexts.count),
			seconds: amountField.describe(rateTexts.seconds),
		})
		.nullable()
		.describe(texts.rate),
	probability: z.number().nullable().describe(texts.probability),
	seed: amountField.nullable().describe(texts.seed),
	ttl: amountField.nullable().describe(texts.ttl),
	id: z.string().describe('Id of the fault.'),
	inbox_id: ownerField,
	expires_at: timeField.nullable().describe('Time when the fault is deleted; null for never.'),
	created_at: timeField.describe('Time when the fault was created.'),
	seen: amountField.describe('Number of matching occasions so far.'),
	hit_count: amountField.describe('Number of times the fault acted.'),
});

export type FaultBody = Body<typeof faultSchema>;

export const faultListSchema = responseObject('FaultList', {
	faults: z.array(faultSchema).describe('Faults in the order in which they are checked, the oldest first.'),
});

export type FaultListBody = Body<typeof faultListSchema>;

/** One time that a fault acted. Long texts are truncated. */
export const faultHitSchema = responseObject('FaultHit', {
	id: z.string().describe('Id of the hit.'),
	fault_id: nullableText.describe(
		'Id of the fault; null if a fault address such as `signup+fail-451@` caused the hit.',
	),
	name: nullableText.describe('Name of the fault; null for none.'),
	inbox_id: ownerField,
	time: timeField.describe('Time when the fault acted.'),
	stage: z.enum(faultStages).describe('SMTP stage at which the fault acted.'),
	client: clientField,
	user: nullableText.describe('User name that the client logged in with, or tried to log in with; null for none.'),
	envelope: z
		.object({
			from: nullableText.describe('Envelope sender; null if not known yet.'),
			to: z.array(z.string()).describe('Envelope recipients known at this stage.'),
		})
		.describe('Envelope as far as it was known.'),
	reply: nullableText.describe('Reply line that the fault sent; null if it sent none.'),
	drop: z
		.enum(faultDrops)
		.nullable()
		.describe('Point at which the fault closed the connection; null if it stayed open.'),
	delay_ms: amountField.describe('Delay in milliseconds that the fault added.'),
	message_id: nullableText.describe(
		'Id of the message that was stored although the connection was closed; null for none.',
	),
});

export type FaultHitBody = Body<typeof faultHitSchema>;

/** Page of fault hits. */
export const faultHitListSchema = responseObject('FaultHitList', {
	hits: z.array(faultHitSchema).describe('Fault hits, the newest first.'),
	total: totalField,
	...pageFields,
});

export type FaultHitListBody = Body<typeof faultHitListSchema>;

/** Query of a list of fault hits. */
export const listFaultHitsSchema = z.strictObject({
	...pageParameters,
	wait: waitParameter,
	count: countParameter(1, maxCount, 1).describe(
		'Number of hits to wait for, in total (default 1). Only used with `wait`.',
	),
});

export type ListFaultHits = Query<typeof listFaultHitsSchema>;
