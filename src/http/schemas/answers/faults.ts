import {z} from 'zod';
import {faultDrops, faultKeys, faultStages} from '../../../contract/constants.js';
import type {FaultBody, FaultHitBody, FaultHitListBody, FaultListBody} from '../../../contract/faults.js';
import {bodySchema} from '../body-schema.js';
import {faultTexts, matchTexts, rateTexts} from '../faults.js';
import {amountField, clientSchema, pageAnswer, timeField, totalField} from './fields.js';

const ownerText = 'Id of the inbox that the fault belongs to; null for a fault of the daemon.';

export const faultSchema = bodySchema<FaultBody>()(
	'Fault',
	z.object({
		stage: z.enum(faultStages).describe(faultTexts.stage),
		name: z.string().nullable().describe(faultTexts.name),
		match: z
			.object({
				from: z.string().describe(matchTexts.from).optional(),
				to: z.string().describe(matchTexts.to).optional(),
				subject: z.string().describe(matchTexts.subject).optional(),
				user: z.string().describe(matchTexts.user).optional(),
			})
			.nullable()
			.describe(faultTexts.match),
		reply: z.string().nullable().describe(faultTexts.reply),
		times: amountField.nullable().describe(faultTexts.times),
		after: amountField.nullable().describe(faultTexts.after),
		per: z.enum(faultKeys).nullable().describe(faultTexts.per),
		delay_ms: amountField.nullable().describe(faultTexts.delay_ms),
		byte_delay_ms: amountField.nullable().describe(faultTexts.byte_delay_ms),
		drop: z.enum(faultDrops).nullable().describe(faultTexts.drop),
		rate: z
			.object({
				count: amountField.describe(rateTexts.count),
				seconds: amountField.describe(rateTexts.seconds),
			})
			.nullable()
			.describe(faultTexts.rate),
		probability: z.number().nullable().describe(faultTexts.probability),
		seed: amountField.nullable().describe(faultTexts.seed),
		ttl: amountField.nullable().describe(faultTexts.ttl),
		id: z.string().describe('Id of the fault.'),
		inbox_id: z.string().nullable().describe(ownerText),
		expires_at: timeField.nullable().describe('Time when the fault is deleted; null for never.'),
		created_at: timeField.describe('Time when the fault was created.'),
		seen: amountField.describe('Number of matching occasions so far.'),
		hit_count: amountField.describe('Number of times the fault acted.'),
	}),
);

export const faultListSchema = bodySchema<FaultListBody>()(
	'FaultList',
	z.object({faults: z.array(faultSchema).describe('Faults in the order in which they are checked, the oldest first.')}),
);

export const faultHitSchema = bodySchema<FaultHitBody>()(
	'FaultHit',
	z.object({
		id: z.string().describe('Id of the hit.'),
		fault_id: z
			.string()
			.nullable()
			.describe('Id of the fault; null if a fault address such as `signup+fail-451@` caused the hit.'),
		name: z.string().nullable().describe('Name of the fault; null for none.'),
		inbox_id: z.string().nullable().describe(ownerText),
		time: timeField.describe('Time when the fault acted.'),
		stage: z.enum(faultStages).describe('SMTP stage at which the fault acted.'),
		client: clientSchema,
		user: z
			.string()
			.nullable()
			.describe('User name that the client logged in with, or tried to log in with; null for none.'),
		envelope: z
			.object({
				from: z.string().nullable().describe('Envelope sender; null if not known yet.'),
				to: z.array(z.string()).describe('Envelope recipients known at this stage.'),
			})
			.describe('Envelope as far as it was known.'),
		reply: z.string().nullable().describe('Reply line that the fault sent; null if it sent none.'),
		drop: z
			.enum(faultDrops)
			.nullable()
			.describe('Point at which the fault closed the connection; null if it stayed open.'),
		delay_ms: amountField.describe('Delay in milliseconds that the fault added.'),
		message_id: z
			.string()
			.nullable()
			.describe('Id of the message that was stored although the connection was closed; null for none.'),
	}),
);

export const faultHitListSchema = bodySchema<FaultHitListBody>()(
	'FaultHitList',
	z.object({
		hits: z.array(faultHitSchema).describe('Fault hits, the newest first.'),
		total: totalField,
		...pageAnswer,
	}),
);
