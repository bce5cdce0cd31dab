import {createSecret} from '../domain/accounts/secrets.js';
import type {SecretStore} from '../store/port.js';

/** The secret of that name, made when there is none. */
export async function loadSecret(secrets: SecretStore, name: string): Promise<string> {
	return (await secrets.get(name)) ?? secrets.put(name, createSecret());
}
