import {randomBytes} from 'node:crypto';
import type {IncomingMessage} from 'node:http';

/** `traceparent` of W3C Trace Context, section 3.2: version, trace, parent, flags, and what later versions add. */
const traceparent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The id of the trace that a request is part of, as its client says it; undefined where it says none that is valid. */
export function traceIdOf({headers}: Pick<IncomingMessage, 'headers'>): string | undefined {
	const given = headers['traceparent'];
	const [, version, trace, parent, more] = traceparent.exec(typeof given === 'string' ? given : '') ?? [];
	const isKnown = version !== 'ff' && !(version === '00' && more !== undefined);
	return isKnown && [trace, parent].every(id => id !== undefined && /[^0]/.test(id)) ? trace : undefined;
}

/** What a failed request is called in its answer and in the log: the id of its trace, or a new one of that form. */
export function nameRequest(request: Pick<IncomingMessage, 'headers'>): string {
	return traceIdOf(request) ?? randomBytes(16).toString('hex');
}
