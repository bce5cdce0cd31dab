import {createHash, timingSafeEqual} from 'node:crypto';
import type {SMTPServerAuthentication} from 'smtp-server';

/** What clients must present with AUTH; without any, whatever they present is fine and nothing is asked. */
export type Credentials = {readonly user: string; readonly password: string};

/** Whether the client may go on. */
export function admits(wanted: Credentials | null, {username, password}: SMTPServerAuthentication): boolean {
	return wanted === null || (isSame(wanted.user, username) && isSame(wanted.password, password));
}

/** Takes the same time wherever the two differ. */
function isSame(wanted: string, given: string | null | undefined): boolean {
	return timingSafeEqual(digest(wanted), digest(given ?? ''));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
