import {readdir} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {Counter, Gauge, Histogram, Registry} from 'prom-client';
import {faultStages, sendProviders} from '../contract/constants.js';
import type {AttemptResult} from '../domain/webhooks/delivery.js';
import type {Part} from '../lib/lifecycle.js';
import type {Observer} from '../services/observer.js';
import type {Store, Usage} from '../store/port.js';

/** Sources of the metrics that are read on request. */
type MetricSources = {
	readonly store: Pick<Store, 'usage' | 'size' | 'isAvailable'>;
	readonly facts: ProcessFacts;
	open(): OpenWaits;
	sessions(): SessionsBySafety;
	now(): Date;
};

/** Metrics of a daemon in the text format of Prometheus. No label identifies a user, inbox or address. */
export function createMetrics({store, facts, open, sessions, now}: MetricSources) {
	const registry = new Registry();
	const create = metricCreator(registry);
	processMetrics(create, facts);
	const observer: Observer = {
		...mailMetrics(create),
		...waitMetrics(create, open),
		...webhookMetrics(create, now),
		...refusalMetrics(create),
	};
	smtpMetrics(create, sessions);
	storeMetrics(create, store);
	let reading: Promise<string> | undefined;
	return {
		observer,
		/** Started and stopped with the daemon. */
		eventLoop: watchEventLoop(create),
		type: registry.contentType,
		/** Concurrent requests share one result. */
		read: async () => {
			reading ??= registry.metrics().finally(() => {
				reading = undefined;
			});
			return reading;
		},
	};
}

type MetricCreator = ReturnType<typeof metricCreator>;

/** Functions that create metrics in a registry. */
function metricCreator(registry: Registry) {
	const registers = [registry];
	return {
		/** With `collect`, the values are set for each request. */
		counter: <Label extends string>(
			name: string,
			help: string,
			labelNames: readonly Label[] = [],
			collect?: (counter: Counter<Label>) => void,
		) =>
			new Counter({
				name,
				help,
				labelNames,
				registers,
				...(collect && {
					collect() {
						this.reset();
						collect(this);
					},
				}),
			}),
		histogram: <Label extends string>(
			name: string,
			help: string,
			buckets: number[],
			labelNames: readonly Label[] = [],
		) => new Histogram({name, help, buckets, labelNames, registers}),
		/** The value is read for each request; an unknown value is absent, not 0. */
		gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
			new Gauge({
				name,
				help,
				registers,
				async collect() {
					const value = await read();
					if (value === undefined) {
						this.remove();
					} else {
						this.set(value);
					}
				},
			});
		},
		labeledGauge: <Label extends string>(
			name: string,
			help: string,
			labelNames: readonly Label[],
			collect: (gauge: Gauge<Label>) => void,
		) =>
			new Gauge({
				name,
				help,
				labelNames,
				registers,
				collect() {
					collect(this);
				},
			}),
	};
}

/** Incoming mail by transport. */
function mailMetrics({counter, histogram}: MetricCreator): Pick<Observer, 'mail' | 'commit'> {
	const mails = counter(
		'tinbox_mails_total',
		'Completely received mails, by way (smtp, a sending API, or the daemon itself) and outcome (kept, faulted, failed, or an error code).',
		['way', 'outcome'],
	);
	const bytes = counter('tinbox_mail_bytes_total', 'Bytes of stored mail.', ['way']);
	const commits = histogram(
		'tinbox_mail_commit_seconds',
		'Time from the receipt and parsing of a mail until it was durable.',
		[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
	);
	// A rate needs an initial value.
	for (const way of ['smtp', ...sendProviders]) {
		mails.inc({way, outcome: 'kept'}, 0);
		bytes.inc({way}, 0);
	}

	return {
		mail: (way, outcome) => mails.inc({way, outcome}),
		commit(way, size, seconds) {
			bytes.inc({way}, size);
			commits.observe(seconds);
		},
	};
}

/** SMTP sessions by security: `none`, `starttls` or `implicit`. */
type SessionsBySafety = Readonly<Record<string, {readonly open: number; readonly ended: number}>>;

function smtpMetrics({counter, labeledGauge}: MetricCreator, sessions: () => SessionsBySafety): void {
	const labels = ['tls'] as const;
	labeledGauge('tinbox_smtp_sessions_open', 'Open SMTP sessions, by TLS (none, starttls, implicit).', labels, gauge => {
		for (const [tls, {open}] of Object.entries(sessions())) {
			gauge.set({tls}, open);
		}
	});
	counter('tinbox_smtp_sessions_total', 'Ended SMTP sessions, by TLS (none, starttls, implicit).', labels, total => {
		for (const [tls, {ended}] of Object.entries(sessions())) {
			total.inc({tls}, ended);
		}
	});
}

/** Rejections and fault hits. */
function refusalMetrics({counter}: MetricCreator): Pick<Observer, 'refusal' | 'faultHit'> {
	const refusals = counter(
		'tinbox_refusals_total',
		'Mail and connections rejected by SMTP and sending APIs, by stage and reply code (none without a reply).',
		['stage', 'code'],
	);
	const hits = counter('tinbox_fault_hits_total', 'Fault hits, by stage.', ['stage']);
	for (const stage of faultStages) {
		hits.inc({stage}, 0);
	}

	return {
		refusal(stage, reply, count) {
			const [code = 'none'] = /^[45]\d\d/.exec(reply ?? '') ?? [];
			refusals.inc({stage, code}, count);
		},
		faultHit: ({stage}) => hits.inc({stage}),
	};
}

/** Open long polls and event streams. */
type OpenWaits = {readonly waits: number; readonly streams: number};

function waitMetrics({gauge, histogram}: MetricCreator, open: () => OpenWaits): Pick<Observer, 'wakeUp'> {
	gauge('tinbox_waits_open', 'Open long polls for mail.', () => open().waits);
	gauge('tinbox_event_streams_open', 'Open event streams.', () => open().streams);
	const wakeUps = histogram(
		'tinbox_wait_wake_up_seconds',
		'Time from the commit of a mail, or from the notification by another node, to the response of a wait.',
		[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
	);
	return {wakeUp: seconds => wakeUps.observe(seconds)};
}

const outcomes = ['delivered', '3xx', '4xx', '5xx', 'no_answer'] as const;

function webhookMetrics({histogram}: MetricCreator, now: () => Date): Pick<Observer, 'attempt'> {
	const attempts = histogram(
		'tinbox_webhook_attempt_seconds',
		'Duration of webhook attempts, by outcome (delivered, the class of another status, or no_answer).',
		[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
		['outcome'],
	);
	for (const outcome of outcomes) {
		attempts.zero({outcome});
	}

	const deliveries = histogram(
		'tinbox_webhook_delivery_seconds',
		'Time from an event until its delivery, including all attempts and the delays between them.',
		[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
	);
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

function outcomeOf({ok, status}: AttemptResult): (typeof outcomes)[number] {
	if (ok) {
		return 'delivered';
	}

	return status === null ? 'no_answer' : status >= 500 ? '5xx' : status >= 400 ? '4xx' : '3xx';
}

/** Contents of the store and their size. */
type StoreFigures = {readonly usage: Usage; readonly bytes: number};

type StoreSampleOptions = {
	/** Lifetime of a sample, extended to `timesTaken` times the time it took. */
	readonly goodForMs?: number;
	/** Maximum time that a request waits for a new sample. */
	readonly patienceMs?: number;
};

/** Lifetime of a sample as a multiple of the time it took. Bounds the cost of sampling a large store. */
const timesTaken = 50;

/** Cached sample of the store, taken on request. */
export class StoreSample {
	readonly #store: Pick<Store, 'usage' | 'size'>;
	readonly #options: Required<StoreSampleOptions>;
	#latest: StoreFigures | undefined;
	#goodUntil = 0;
	#looking: Promise<void> | undefined;

	constructor(store: Pick<Store, 'usage' | 'size'>, {goodForMs = 10_000, patienceMs = 250}: StoreSampleOptions = {}) {
		this.#store = store;
		this.#options = {goodForMs, patienceMs};
	}

	/** Latest sample; undefined before the first one. Waits a short time for a new one and never rejects. */
	async latest(): Promise<StoreFigures | undefined> {
		if (performance.now() >= this.#goodUntil) {
			this.#looking ??= this.#look();
			const enough = new AbortController();
			await Promise.race([this.#looking, sleep(this.#options.patienceMs, undefined, {signal: enough.signal})]);
			enough.abort();
		}

		return this.#latest;
	}

	async #look(): Promise<void> {
		const begun = performance.now();
		try {
			const [usage, bytes] = await Promise.all([this.#store.usage(), this.#store.size()]);
			this.#latest = {usage, bytes};
		} catch {
			// While the store is unavailable, the last sample remains.
		} finally {
			const now = performance.now();
			this.#goodUntil = now + Math.max(this.#options.goodForMs, (now - begun) * timesTaken);
			this.#looking = undefined;
		}
	}
}

/** Stored records. All nodes on one database report the same values. */
function storeMetrics({gauge}: MetricCreator, store: Pick<Store, 'usage' | 'size' | 'isAvailable'>): void {
	const sample = new StoreSample(store);
	const usage = (name: string, help: string, key: keyof Usage) =>
		gauge(name, help, async () => (await sample.latest())?.usage[key]);
	gauge('tinbox_store_available', '1 if the store is available, otherwise 0.', () => Number(store.isAvailable()));
	usage('tinbox_store_messages', 'Stored messages, as counted by --max-messages.', 'messages');
	usage('tinbox_store_mail_bytes', 'Bytes of stored mail.', 'bytes');
	usage('tinbox_store_inboxes', 'Number of inboxes.', 'inboxes');
	usage('tinbox_store_unfinished_deliveries', 'Webhook deliveries that are pending or being retried.', 'deliveries');
	gauge(
		'tinbox_store_size_bytes',
		'Size of the store on disk or in the database in bytes, including space not yet reclaimed.',
		async () => (await sample.latest())?.bytes,
	);
}

type ProcessFacts = {
	readonly version: string;
	/** Kind of the store. */
	readonly store: 'files' | 'postgres';
	/** Limit of open files. */
	readonly openFiles: number;
};

/** Process metrics under the standard names of Prometheus client libraries, and build information. */
function processMetrics(
	{counter, gauge, labeledGauge}: MetricCreator,
	{version, store, openFiles}: ProcessFacts,
): void {
	labeledGauge(
		'tinbox_build_info',
		'Always 1; the labels name the versions of tinbox and Node.js and the kind of store.',
		['version', 'node_version', 'store'],
		info => info.set({version, node_version: process.version, store}, 1),
	);
	counter('process_cpu_seconds_total', 'Total user and system CPU time of the process in seconds.', [], total => {
		const {user, system} = process.cpuUsage();
		total.inc((user + system) / 1e6);
	});
	const startedAt = Math.round(performance.timeOrigin) / 1000;
	gauge('process_start_time_seconds', 'Start time of the process in seconds since the Unix epoch.', () => startedAt);
	gauge('process_resident_memory_bytes', 'Resident memory of the process in bytes.', () => process.memoryUsage.rss());
	gauge('process_max_fds', 'Maximum number of open file descriptors.', () => openFiles);
	const heap = (name: string, help: string, key: 'heapTotal' | 'heapUsed') =>
		gauge(name, help, () => process.memoryUsage()[key]);
	heap('nodejs_heap_size_total_bytes', 'Total size of the JavaScript heap in bytes.', 'heapTotal');
	heap('nodejs_heap_size_used_bytes', 'Used size of the JavaScript heap in bytes.', 'heapUsed');
	if (process.platform === 'linux') {
		gauge('process_open_fds', 'Number of open file descriptors.', async () => (await readdir('/proc/self/fd')).length);
	}
}

const everyMs = 100;

/** Measures the delay of a timer, which is the time that the event loop was blocked. */
function watchEventLoop({histogram}: MetricCreator): Part {
	const delays = histogram(
		'tinbox_event_loop_delay_seconds',
		'Delay of the event loop, sampled ten times a second.',
		[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
	);
	let timer: NodeJS.Timeout | undefined;
	return {
		name: 'event loop watch',
		async start() {
			let due = performance.now() + everyMs;
			timer = setInterval(() => {
				const now = performance.now();
				delays.observe(Math.max(0, now - due) / 1000);
				due = now + everyMs;
			}, everyMs).unref();
		},
		async stop() {
			clearInterval(timer);
		},
	};
}
