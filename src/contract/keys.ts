import {fieldsOf} from './answers.js';

/** Prefix of every API key. */
export const apiKeyStart = 'tbx_live_';

/** Length of `key_prefix`, the part of a key that stays visible. */
export const keyPrefixLength = 16;

export type CreateKey = {
	/** Label (default `Default`). */
	readonly name?: string | undefined;
};

/** Created API key; only this response contains the full key. */
export type CreatedKeyBody = Pick<KeyBody, 'id' | 'name' | 'created_at'> & {
	readonly key: string;
	readonly prefix: string;
	readonly message: string;
};

export const createdKeyFields = fieldsOf<CreatedKeyBody>()('id name key prefix created_at message');

export type KeyBody = {
	readonly id: string;
	readonly name: string;
	readonly key_prefix: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
};

export const keyFields = fieldsOf<KeyBody>()('id name key_prefix last_used_at created_at');

export type KeyListBody = {readonly keys: readonly KeyBody[]};
