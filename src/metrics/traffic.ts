import {Counter, Gauge, Histogram, type Registry} from 'prom-client';
import {faultStages, sendProviders} from '../contract/constants.js';
import type {Attempt} from '../domain/webhooks/delivery.js';
import type {Observer} from '../services/observer.js';

/** Incoming mail by transport. */
export function mailMetrics(registry: Registry): Pick<Observer, 'mail' | 'commit'> {
	const registers = [registry];
	const mails = new Counter({
		name: 'tinbox_mails_total',
		help: 'Completely received mails, by way (smtp, a sending API, or the daemon itself) and outcome (kept, faulted, failed, or an error code).',
		labelNames: ['way', 'outcome'],
		registers,
	});
	const bytes = new Counter({
		name: 'tinbox_mail_bytes_total',
		help: 'Bytes of stored mail.',
		labelNames: ['way'],
		registers,
	});
	const commits = new Histogram({
		name: 'tinbox_mail_commit_seconds',
		help: 'Time from the receipt and parsing of a mail until it was durable.',
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
		registers,
	});
	// A rate needs an initial value.
	for (const way of ['smtp', ...sendProviders]) {
		mails.inc({way, outcome: 'kept'}, 0);
		bytes.inc({way}, 0);
	}

	return {
		mail(way, outcome) {
			mails.inc({way, outcome});
		},
		commit(way, size, seconds) {
			bytes.inc({way}, size);
			commits.observe(seconds);
		},
	};
}

/** SMTP sessions by security: `none`, `starttls` or `implicit`. */
export type SessionsBySafety = Readonly<Record<string, {readonly open: number; readonly ended: number}>>;

export function smtpMetrics(registry: Registry, sessions: () => SessionsBySafety): void {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_smtp_sessions_open',
		help: 'Open SMTP sessions, by TLS (none, starttls, implicit).',
		labelNames: ['tls'],
		registers,
		collect() {
			for (const [tls, {open}] of Object.entries(sessions())) {
				this.set({tls}, open);
			}
		},
	});
	new Counter({
		name: 'tinbox_smtp_sessions_total',
		help: 'Ended SMTP sessions, by TLS (none, starttls, implicit).',
		labelNames: ['tls'],
		registers,
		collect() {
			this.reset();
			for (const [tls, {ended}] of Object.entries(sessions())) {
				this.inc({tls}, ended);
			}
		},
	});
}

/** Rejections and fault hits. */
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

/** Open long polls and event streams. */
export type OpenWaits = {readonly waits: number; readonly streams: number};

export function waitMetrics(registry: Registry, open: () => OpenWaits): Pick<Observer, 'wakeUp'> {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_waits_open',
		help: 'Open long polls for mail.',
		registers,
		collect() {
			this.set(open().waits);
		},
	});
	new Gauge({
		name: 'tinbox_event_streams_open',
		help: 'Open event streams.',
		registers,
		collect() {
			this.set(open().streams);
		},
	});
	const wakeUps = new Histogram({
		name: 'tinbox_wait_wake_up_seconds',
		help: 'Time from the commit of a mail, or from the notification by another node, to the response of a wait.',
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
		registers,
	});
	return {
		wakeUp(seconds) {
			wakeUps.observe(seconds);
		},
	};
}

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
			// A manual attempt can be days after the mail and is not a delivery time.
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
