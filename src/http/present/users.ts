import type {TokenBody, UserBody} from '../../contract/users.js';
import type {User} from '../../domain/user.js';
import type {IssuedToken} from '../../services/tokens.js';

export function userBody({id, name, email, plan, createdAt}: User): UserBody {
	return {id, name, email, plan, created_at: createdAt};
}

export function tokenBody({token, expiresAt}: IssuedToken): TokenBody {
	return {token, expires_at: expiresAt};
}
