import type {conditionsOf} from '../domain/mail/filter.js';
import {holds} from '../domain/mail/filter.js';
import type {Message} from '../domain/mail/message.js';

/** How many messages are looked at before those that fit are handed over. */
export const lookedAtOnce = 256;

/** What came of a look at some messages. */
export type Looked = {readonly fitting: readonly Message[]; readonly isLast: boolean};

/** Looks at the next messages, one at each step, since their texts can be many and long. */
export function* look(
	rows: Iterator<Message, unknown>,
	conditions: ReturnType<typeof conditionsOf>,
): Generator<undefined, Looked> {
	const fitting: Message[] = [];
	for (let looked = 0; looked < lookedAtOnce; looked++) {
		const {value: row, done} = rows.next();
		if (done) {
			return {fitting, isLast: true};
		}

		if (holds(conditions, row)) {
			fitting.push(row);
		}

		yield;
	}

	return {fitting, isLast: false};
}
