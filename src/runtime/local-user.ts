import {userInfo} from 'node:os';

/** Who the local user is: named after the user of the operating system, so that CLI and daemon mean the same one. */
export function localUser(): {readonly name: string; readonly email: string} {
	const name = systemUserName();
	return {name, email: `${name.replace(/[\s@\p{Cc}]/gu, '-')}@localhost`};
}

function systemUserName(): string {
	try {
		return userInfo().username.trim().slice(0, 64) || 'local';
	} catch {
		// In a container the process may run as a number that no name belongs to.
		return 'local';
	}
}
