import {AppError} from '../../domain/errors.js';
import type {FaultEffect} from '../../domain/faults/fault.js';
import {type SendFailure, Unsent} from '../../domain/mail/sending.js';
import {FaultRejection} from '../faults/engine.js';

/** Seconds after which a client may try again whom a fault sends away for now. */
const retryAfter = 1;

/** How a request to a sending API, or one of its mails, failed, by what was thrown; undefined for a bug. */
export function failureIn(error: unknown, maxBytes: number): SendFailure | undefined {
	if (error instanceof Unsent) {
		return error.failure;
	}

	if (error instanceof FaultRejection) {
		return failureBy(error.effect, maxBytes);
	}

	return error instanceof AppError ? failureOfApp(error, maxBytes) : undefined;
}

/** What the reply of a fault comes to; `address` is the recipient that it is about. */
export function failureBy({reply}: FaultEffect, maxBytes: number, address?: string): SendFailure {
	if (reply === null) {
		return {type: 'unavailable'};
	}

	const {code, text} = reply;
	if (code === 452) {
		return {type: 'storage_full'};
	}

	if (code === 552) {
		return {type: 'too_large', maxBytes};
	}

	return code < 500 ? {type: 'rate_limited', retryAfter} : {type: 'refused', detail: text, address};
}

function failureOfApp({code, message, details}: AppError, maxBytes: number): SendFailure {
	switch (code) {
		case 'rate_limited':
			return {type: 'rate_limited', retryAfter: details.retryAfter ?? retryAfter};
		case 'too_large':
			return {type: 'too_large', maxBytes};
		case 'storage_full':
		case 'limit_reached':
			return {type: 'storage_full'};
		case 'not_found':
			// The inbox of the key, since it was looked at.
			return {type: 'wrong_key'};
		case 'unavailable':
		case 'stopping':
			return {type: 'unavailable'};
		default:
			return {type: 'refused', detail: message, address: undefined};
	}
}

/** Why nobody is let in, as a refusal says it. */
export const loginReasons: Partial<Readonly<Record<SendFailure['type'], string>>> = {
	no_key: 'no API key',
	wrong_key: 'invalid API key',
	rate_limited: 'too many invalid API keys',
};
