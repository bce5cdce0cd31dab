import {Histogram, type Registry} from 'prom-client';
import type {Attempt} from '../domain/webhooks/delivery.js';
import type {Observer} from '../services/observer.js';

const outcomes = ['delivered', '3xx', '4xx', '5xx', 'no_answer'] as const;

export function webhookMetrics(registry: Registry, now: () => Date): Pick<Observer, 'attempt'> {
	const registers = [registry];
	const attempts = new Histogram({
		name: 'tinbox_webhook_attempt_seconds',
		help: 'Duration of webhook attempts, by outcome (delivered, the class of another status, or no_answer).',
		labelNames: ['outcome'],
		buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
		registers,
	});
	for (const outcome of outcomes) {
		attempts.zero({outcome});
	}

	const deliveries = new Histogram({
		name: 'tinbox_webhook_delivery_seconds',
		help: 'Time from an event until its delivery, including all attempts and the delays between them.',
		buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
		registers,
	});
	return {
		attempt({nextAttemptAt, createdAt}, attempt, seconds) {
			attempts.observe({outcome: outcomeOf(attempt)}, seconds);
			// What somebody asks for once more may be days old.
			if (attempt.ok && nextAttemptAt !== null) {
				deliveries.observe(Math.max(0, now().getTime() - Date.parse(createdAt)) / 1000);
			}
		},
	};
}

function outcomeOf({ok, status}: Attempt): (typeof outcomes)[number] {
	if (ok) {
		return 'delivered';
	}

	return status === null ? 'no_answer' : status >= 500 ? '5xx' : status >= 400 ? '4xx' : '3xx';
}
