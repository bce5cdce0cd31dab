import {z} from 'zod';
import {nameField} from './fields.js';

export const createKey = z.strictObject({name: nameField.default('Default')});
export type CreateKey = z.input<typeof createKey>;

/** The only answer that ever holds the whole key. */
export type CreatedKeyBody = {
	readonly id: string;
	readonly name: string;
	readonly key: string;
	readonly prefix: string;
	readonly created_at: string;
	readonly message: string;
};

export type KeyBody = {
	readonly id: string;
	readonly name: string;
	readonly key_prefix: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
};

export type KeyListBody = {readonly keys: readonly KeyBody[]};
