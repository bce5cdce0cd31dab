import {userInfo} from 'node:os';

/** Name and email address of the local user. Derived from the user of the operating system, so that CLI and daemon agree. */
export function localUser(): {readonly name: string; readonly email: string} {
	const name = systemUserName();
	return {name, email: `${name.replace(/[\s@\p{Cc}]/gu, '-')}@localhost`};
}

function systemUserName(): string {
	try {
		return userInfo().username.trim().slice(0, 64) || 'local';
	} catch {
		// In a container the process may run as a user id without a name.
		return 'local';
	}
}
