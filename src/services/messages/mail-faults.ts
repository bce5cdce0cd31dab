import {createHash} from 'node:crypto';
import type {FaultEffect} from '../../domain/fault.js';
import type {Message} from '../../domain/message.js';
import type {MagicFaults} from '../faults/magic-faults.js';

/** A mail that is about to be kept, as these messages. */
export type ComingMail = Pick<Message, 'envelope' | 'session' | 'summary'> & {
	/** The bytes of the mail. */
	read(): AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
	readonly messages: readonly Message[];
};

/** Thrown where a mail is not kept, since a fault refuses it. */
export class Faulted extends Error {
	readonly effect: FaultEffect;

	constructor(effect: FaultEffect) {
		super('A fault rejected the mail.');
		this.effect = effect;
	}
}

/** Asks the faults about mail that has come in whole. */
export class MailFaults {
	readonly #faults: Pick<MagicFaults, 'mayAct' | 'meet'>;

	constructor(faults: Pick<MagicFaults, 'mayAct' | 'meet'>) {
		this.#faults = faults;
	}

	/**
	 * What happens to the answer to a mail that is to be kept; null when nothing does, and always for what no client sent.
	 * Throws `Faulted`.
	 */
	async meet({envelope, session, summary, read, messages}: ComingMail): Promise<FaultEffect | null> {
		if (!session || !this.#faults.mayAct('end', envelope.to)) {
			return null;
		}

		const effect = await this.#faults.meet({
			stage: 'end',
			client: session.client,
			user: session.auth?.user ?? null,
			inboxIds: messages.map(({inboxId}) => inboxId),
			from: envelope.from,
			to: envelope.to,
			subject: summary.subject,
			messageKey: async () => summary.messageId || hashOf(await read()),
			messageIds: messages.map(({id}) => id),
		});
		if (effect && (effect.reply || effect.drop === 'before')) {
			throw new Faulted(effect);
		}

		return effect;
	}
}

async function hashOf(source: AsyncIterable<Buffer>): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of source) {
		hash.update(chunk);
	}

	return hash.digest('base64url');
}
