import type {CreatedKeyBody, KeyBody} from '../../contract/keys.js';
import type {ApiKey} from '../../domain/accounts/user.js';
import type {CreatedKey} from '../../services/accounts/keys.js';

export function createdKeyBody({key: {id, name, prefix, createdAt}, raw}: CreatedKey): CreatedKeyBody {
	return {
		id,
		name,
		key: raw,
		prefix,
		created_at: createdAt,
		message: 'Store this key now. It cannot be retrieved again.',
	};
}

export function keyBody({id, name, prefix, lastUsedAt, createdAt}: ApiKey): KeyBody {
	return {id, name, key_prefix: prefix, last_used_at: lastUsedAt, created_at: createdAt};
}
