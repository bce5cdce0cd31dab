import type {conditionsOf} from '../../domain/mail/filter.js';
import {holds} from '../../domain/mail/filter.js';
import type {Message} from '../../domain/mail/message.js';

/** Messages that one scan compares with a filter. */
export const scannedAtOnce = 256;

/** The matching messages of one scan. `isLast` is true if there are no more messages to scan. */
export type ScanResult = {readonly matches: readonly Message[]; readonly isLast: boolean};

/** Compares the next messages with a filter, one per step, since their texts can be long. */
export function* scan(
	rows: Iterator<Message, unknown>,
	conditions: ReturnType<typeof conditionsOf>,
): Generator<undefined, ScanResult> {
	const matches: Message[] = [];
	for (let scanned = 0; scanned < scannedAtOnce; scanned++) {
		const {value: row, done} = rows.next();
		if (done) {
			return {matches, isLast: true};
		}

		if (holds(conditions, row)) {
			matches.push(row);
		}

		yield;
	}

	return {matches, isLast: false};
}
