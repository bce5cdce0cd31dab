import type {SendRequest} from '../provider.js';
import type {SesProtocol} from './problems.js';
import {protocolOf} from './problems.js';
import {regionOf} from './signing.js';

/** What is known of a request besides its fields. */
export type Reading = {
	readonly protocol: SesProtocol;
	readonly region: string;
	/** When it came. */
	readonly now: Date;
	/** Bytes of a mail at most. */
	readonly maxBytes: number;
	/** Bytes that templates which come with the request may become, all mails together. */
	readonly maxFilledBytes: number;
	/** Sentences about what is not understood or not done of it, whichever mail. */
	readonly warnings: readonly string[];
};

/** Bytes of a mail, its attachments in base64. */
const maxMailBytes: Readonly<Record<SesProtocol, number>> = {v1: 10 * 1024 * 1024, v2: 40 * 1024 * 1024};

/** A small request is not to become much mail: it is read where others wait. */
const freeFilledBytes = 8 * 1024 * 1024;
const maxFillings = 50;

/** What to know for reading a request with fields that are not known. */
export function createReading(request: SendRequest, unknown: readonly string[]): Reading {
	const protocol = protocolOf(request);
	return {
		protocol,
		region: regionOf(request),
		now: request.now,
		maxBytes: maxMailBytes[protocol],
		maxFilledBytes: Math.min(freeFilledBytes + maxFillings * request.body.length, 4 * maxMailBytes[protocol]),
		warnings: unknown.map(name => `"${name}" is not an SES field and was ignored.`),
	};
}
