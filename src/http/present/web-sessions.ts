import type {OwnWebSessionBody, WebSessionBody} from '../../contract/keys.js';
import type {User, WebSession} from '../../domain/accounts/user.js';

export function webSessionBody({id, keyId, createdAt, lastUsedAt, expiresAt}: WebSession): WebSessionBody {
	return {id, key_id: keyId, created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt};
}

export function ownWebSessionBody({email}: User, {expiresAt}: WebSession): OwnWebSessionBody {
	return {email, expires_at: expiresAt};
}
