import {z} from 'zod';
import type {CreatedKeyBody, KeyBody, KeyListBody} from '../../../contract/keys.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const createdKeySchema = bodySchema<CreatedKeyBody>()(
	'CreatedKey',
	z.object({
		id: z.string(),
		name: z.string(),
		created_at: timeField,
		key: z.string().describe('The whole key; no later answer has it.'),
		prefix: z.string(),
		message: z.string().describe('For people.'),
	}),
);

const keySchema = bodySchema<KeyBody>()(
	'Key',
	z.object({
		id: z.string(),
		name: z.string(),
		key_prefix: z.string().describe('How the key begins.'),
		last_used_at: timeField.nullable(),
		created_at: timeField,
	}),
);

export const keyListSchema = bodySchema<KeyListBody>()('KeyList', z.object({keys: z.array(keySchema)}));
