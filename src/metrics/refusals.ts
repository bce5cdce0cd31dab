import {Counter, type Registry} from 'prom-client';
import {faultStages} from '../contract/constants.js';
import type {Observer} from '../services/observer.js';

/** What was refused, and what went wrong on purpose. */
export function refusalMetrics(registry: Registry): Pick<Observer, 'refusal' | 'faultHit'> {
	const registers = [registry];
	const refusals = new Counter({
		name: 'tinbox_refusals_total',
		help: 'Mail and connections rejected by SMTP and sending APIs, by stage and reply code (none without a reply).',
		labelNames: ['stage', 'code'],
		registers,
	});
	const hits = new Counter({
		name: 'tinbox_fault_hits_total',
		help: 'Fault hits, by stage.',
		labelNames: ['stage'],
		registers,
	});
	for (const stage of faultStages) {
		hits.inc({stage}, 0);
	}

	return {
		refusal(stage, reply, count) {
			const [code = 'none'] = /^[45]\d\d/.exec(reply ?? '') ?? [];
			refusals.inc({stage, code}, count);
		},
		faultHit({stage}) {
			hits.inc({stage});
		},
	};
}
