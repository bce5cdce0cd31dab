import {z} from 'zod';
import {
	type FaultBody,
	type FaultHitBody,
	type FaultHitListBody,
	type FaultListBody,
	faultDrops,
	faultKeys,
	faultStages,
} from '../../../contract/faults.js';
import {bodySchema} from '../body-schema.js';
import {amountField, pageAnswer, timeField} from './fields.js';

export const faultSchema = bodySchema<FaultBody>()(
	'Fault',
	z.object({
		stage: z.enum(faultStages),
		name: z.string().nullable(),
		match: z
			.object({
				from: z.string().optional(),
				to: z.string().optional(),
				subject: z.string().optional(),
				user: z.string().optional(),
			})
			.nullable(),
		reply: z.string().nullable(),
		times: amountField.nullable(),
		after: amountField.nullable(),
		per: z.enum(faultKeys).nullable(),
		delay_ms: amountField.nullable(),
		byte_delay_ms: amountField.nullable(),
		drop: z.enum(faultDrops).nullable(),
		rate: z.object({count: amountField, seconds: amountField}).nullable(),
		probability: z.number().nullable(),
		seed: amountField.nullable(),
		ttl: amountField.nullable(),
		id: z.string(),
		inbox_id: z.string().nullable().describe('Null: the daemon’s.'),
		expires_at: timeField.nullable(),
		created_at: timeField,
		seen: amountField.describe('Occasions that matched.'),
		hit_count: amountField.describe('Those on which it acted.'),
	}),
);

export const faultListSchema = bodySchema<FaultListBody>()(
	'FaultList',
	z.object({faults: z.array(faultSchema).describe('In the order in which they are asked, the oldest first.')}),
);

export const faultHitSchema = bodySchema<FaultHitBody>()(
	'FaultHit',
	z.object({
		id: z.string(),
		fault_id: z.string().nullable().describe('Null: by an address that asks for it.'),
		name: z.string().nullable(),
		inbox_id: z.string().nullable().describe('Whose fault it is; null: the daemon’s.'),
		time: timeField,
		stage: z.enum(faultStages),
		client: z.object({host: z.string(), helo: z.string().nullable()}),
		user: z.string().nullable().describe('As which the client had logged in, or tried to.'),
		envelope: z.object({from: z.string().nullable(), to: z.array(z.string())}),
		reply: z.string().nullable().describe('The whole line that the fault had the client be told; null: none.'),
		drop: z.enum(faultDrops).nullable(),
		delay_ms: amountField,
		message_id: z.string().nullable().describe('The message that was kept although the connection ended.'),
	}),
);

export const faultHitListSchema = bodySchema<FaultHitListBody>()(
	'FaultHitList',
	z.object({hits: z.array(faultHitSchema).describe('The newest first.'), total: amountField, ...pageAnswer}),
);
