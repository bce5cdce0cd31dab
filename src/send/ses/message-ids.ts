import {randomUUID} from 'node:crypto';

/** An id as SES gives them: the time, and something that nothing else has. */
export function newSesId(now: Date): string {
	return `0100${now.getTime().toString(16).padStart(12, '0')}-${randomUUID()}-000000`;
}

/** The field Message-ID of the mail with this id. */
export function messageIdOf(id: string, region: string): string {
	return `<${id}@${region === 'us-east-1' ? 'email' : region}.amazonses.com>`;
}
