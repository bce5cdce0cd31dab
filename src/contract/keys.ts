import {fieldsOf} from './answers.js';

/** How every API key begins. */
export const apiKeyStart = 'tbx_live_';

/** Characters of a key that are shown later on, as its `key_prefix`. */
export const keyPrefixLength = 16;

export type CreateKey = {
	/** `Default` unless given. */
	readonly name?: string | undefined;
};

/** The only answer that ever holds the whole key. */
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
