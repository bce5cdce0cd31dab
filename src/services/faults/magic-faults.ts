import type {FaultStage} from '../../contract/constants.js';
import {canonicalAddress} from '../../domain/address.js';
import type {FaultEffect} from '../../domain/fault.js';
import {type MagicFault, magicOf} from '../../domain/magic-address.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {FaultsAtWork, Occasion} from './at-work.js';

/** Addresses that are remembered to have been refused, the newest. */
const maxRefused = 10_000;

/** The faults that there are, and where none of them acts, those that addresses ask for. */
export class MagicFaults {
	readonly #atWork: FaultsAtWork;
	readonly #inboxes: Pick<Inboxes, 'resolve' | 'there'>;
	/** Those that are to be taken the next time. */
	readonly #refused = new Set<string>();

	constructor(atWork: FaultsAtWork, inboxes: Pick<Inboxes, 'resolve' | 'there'>) {
		this.#atWork = atWork;
		this.#inboxes = inboxes;
	}

	/** As that of `FaultsAtWork`, for a recipient or a mail to these recipients. */
	mayAct(stage: FaultStage, recipients: readonly string[] = []): boolean {
		const mayAsk = stage === 'rcpt' || stage === 'end';
		return this.#atWork.mayAct(stage) || (mayAsk && recipients.some(address => address.includes('+')));
	}

	/** As that of `FaultsAtWork`. */
	meet(occasion: Occasion): Promise<FaultEffect | null> | null {
		const met = this.#atWork.meet(occasion);
		return occasion.to.some(address => address.includes('+')) ? this.#meetEither(met, occasion) : met;
	}

	async #meetEither(met: Promise<FaultEffect | null> | null, occasion: Occasion): Promise<FaultEffect | null> {
		return (await met) ?? this.#ask(occasion);
	}

	async #ask(occasion: Occasion): Promise<FaultEffect | null> {
		for (const address of occasion.to.filter(to => to.includes('+'))) {
			const inbox = await this.#inboxOf(address, occasion);
			const magic = inbox && magicOf(address, inbox.address);
			if (magic?.does === 'fault' && magic.fault.stage === occasion.stage && this.#acts(magic.fault, address)) {
				const {effect, name} = magic.fault;
				this.#atWork.acted(occasion, inbox?.id ?? null, effect, name);
				return effect;
			}
		}

		return null;
	}

	async #inboxOf(address: string, {inboxIds: [id, ...others]}: Occasion) {
		return id === undefined || others.length > 0 ? this.#inboxes.resolve(address) : this.#inboxes.there(id);
	}

	#acts({isOnce}: MagicFault, address: string): boolean {
		const key = canonicalAddress(address);
		if (!isOnce || this.#refused.delete(key)) {
			return !isOnce;
		}

		this.#refused.add(key);
		if (this.#refused.size > maxRefused) {
			this.#refused.delete(this.#refused.keys().next().value ?? '');
		}

		return true;
	}
}
