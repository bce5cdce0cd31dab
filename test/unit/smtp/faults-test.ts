import {text} from 'node:stream/consumers';
import type {FaultStage} from '../../../src/contract/constants.js';
import {type FaultEffect, type FaultReply, readFaultReply} from '../../../src/domain/faults/fault.js';
import {type FaultContext, FaultRejection} from '../../../src/services/faults/engine.js';
import {type Running, startServer} from './smtp-test.js';

/** What is to go wrong at a stage, once. */
export type Wrong = {readonly stage: FaultStage; readonly reply?: string} & Partial<Omit<FaultEffect, 'reply'>>;

export type Faulty = Running & {
	/** All that was met, in order. */
	readonly occasions: FaultContext[];
};

/** A server on which these things go wrong, each once and in this order where they are for the same stage. Inboxes are called as addresses. */
export async function startFaulty(
	wrongs: readonly Wrong[],
	options: Parameters<typeof startServer>[0] = {},
): Promise<Faulty> {
	const left = [...wrongs];
	const occasions: FaultContext[] = [];
	const evaluate = async (occasion: FaultContext): Promise<FaultEffect | null> => {
		occasions.push(occasion);
		const index = left.findIndex(({stage}) => stage === occasion.stage);
		const [wrong] = index < 0 ? [] : left.splice(index, 1);
		return wrong ? effectOf(wrong) : null;
	};
	const running: Running = await startServer(options, {
		faults: {mayAct: () => true, evaluate, inboxesOf: recipients => recipients},
		async deliver(envelope, session, source) {
			const mail = {envelope, source: await text(source.setEncoding('latin1'))};
			const {client} = session;
			const effect = await evaluate({
				stage: 'end',
				client,
				user: null,
				inboxIds: [],
				from: envelope.from,
				to: envelope.to,
			});
			if (effect && (effect.reply || effect.drop === 'before')) {
				throw new FaultRejection(effect);
			}

			running.mails.push(mail);
			return effect;
		},
	});
	return {...running, occasions};
}

function effectOf({stage, reply, ...effect}: Wrong): FaultEffect {
	const read: FaultReply | null = reply === undefined ? null : (readFaultReply(reply) ?? null);
	return {faultId: 'fault', delayMs: 0, byteDelayMs: 0, drop: null, ...effect, reply: read};
}
