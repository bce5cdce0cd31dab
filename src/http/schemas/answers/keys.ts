import {z} from 'zod';
import type {CreatedKeyBody, KeyBody, KeyListBody} from '../../../contract/keys.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const createdKeySchema = bodySchema<CreatedKeyBody>()(
	'CreatedKey',
	z.object({
		id: z.string().describe('Id of the key.'),
		name: z.string().describe('Label of the key.'),
		created_at: timeField.describe('Time when the key was created.'),
		key: z.string().describe('Full key, only returned here.'),
		prefix: z.string().describe('First characters of the key.'),
		message: z.string().describe('Notice for people that the key cannot be retrieved again.'),
	}),
);

const keySchema = bodySchema<KeyBody>()(
	'Key',
	z.object({
		id: z.string().describe('Id of the key.'),
		name: z.string().describe('Label of the key.'),
		key_prefix: z.string().describe('First characters of the key.'),
		last_used_at: timeField.nullable().describe('Time of the last use; null if never used.'),
		created_at: timeField.describe('Time when the key was created.'),
	}),
);

export const keyListSchema = bodySchema<KeyListBody>()(
	'KeyList',
	z.object({keys: z.array(keySchema).describe('API keys of the caller.')}),
);
