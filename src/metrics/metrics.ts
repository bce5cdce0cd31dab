import {readdir} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {Counter, Gauge, Histogram, Registry} from 'prom-client';
import {faultStages, sendProviders} from '../contract/constants.js';
import type {Attempt} from '../domain/webhooks/delivery.js';
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
	processMetrics(registry, facts);
	const observer: Observer = {
		...mailMetrics(registry),
		...waitMetrics(registry, open),
		...webhookMetrics(registry, now),
		...refusalMetrics(registry),
	};
	smtpMetrics(registry, sessions);
	storeMetrics(registry, store);
	let reading: Promise<string> | undefined;
	return {
		observer,
		/** Started and stopped with the daemon. */
		eventLoop: watchEventLoop(registry),
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

/** Incoming mail by transport. */
function mailMetrics(registry: Registry): Pick<Observer, 'mail' | 'commit'> {
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
type SessionsBySafety = Readonly<Record<string, {readonly open: number; readonly ended: number}>>;

function smtpMetrics(registry: Registry, sessions: () => SessionsBySafety): void {
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
function refusalMetrics(registry: Registry): Pick<Observer, 'refusal' | 'faultHit'> {
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
type OpenWaits = {readonly waits: number; readonly streams: number};

function waitMetrics(registry: Registry, open: () => OpenWaits): Pick<Observer, 'wakeUp'> {
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

function webhookMetrics(registry: Registry, now: () => Date): Pick<Observer, 'attempt'> {
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

/** Metrics of stored records by name. All nodes on one database report the same values. */
const figures: Readonly<Record<string, {readonly help: string; of(figures: StoreFigures): number}>> = {
	tinbox_store_messages: {
		help: 'Stored messages, as counted by --max-messages.',
		of: ({usage}) => usage.messages,
	},
	tinbox_store_mail_bytes: {help: 'Bytes of stored mail.', of: ({usage}) => usage.bytes},
	tinbox_store_inboxes: {help: 'Number of inboxes.', of: ({usage}) => usage.inboxes},
	tinbox_store_unfinished_deliveries: {
		help: 'Webhook deliveries that are pending or being retried.',
		of: ({usage}) => usage.deliveries,
	},
	tinbox_store_size_bytes: {
		help: 'Size of the store on disk or in the database in bytes, including space not yet reclaimed.',
		of: ({bytes}) => bytes,
	},
};

function storeMetrics(registry: Registry, store: Pick<Store, 'usage' | 'size' | 'isAvailable'>): void {
	const registers = [registry];
	const sample = new StoreSample(store);
	new Gauge({
		name: 'tinbox_store_available',
		help: '1 if the store is available, otherwise 0.',
		registers,
		collect() {
			this.set(store.isAvailable() ? 1 : 0);
		},
	});
	for (const [name, {help, of}] of Object.entries(figures)) {
		new Gauge({
			name,
			help,
			registers,
			async collect() {
				const latest = await sample.latest();
				if (latest) {
					this.set(of(latest));
				} else {
					// An unknown value is absent, not 0.
					this.remove();
				}
			},
		});
	}
}

type ProcessFacts = {
	readonly version: string;
	/** Kind of the store. */
	readonly store: 'files' | 'postgres';
	/** Limit of open files. */
	readonly openFiles: number;
};

/** Process metrics under the standard names of Prometheus client libraries, and build information. */
function processMetrics(registry: Registry, {version, store, openFiles}: ProcessFacts): void {
	const registers = [registry];
	new Gauge({
		name: 'tinbox_build_info',
		help: 'Always 1; the labels name the versions of tinbox and Node.js and the kind of store.',
		labelNames: ['version', 'node_version', 'store'],
		registers,
	}).set({version, node_version: process.version, store}, 1);
	new Counter({
		name: 'process_cpu_seconds_total',
		help: 'Total user and system CPU time of the process in seconds.',
		registers,
		collect() {
			const {user, system} = process.cpuUsage();
			this.reset();
			this.inc((user + system) / 1e6);
		},
	});
	const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
		new Gauge({
			name,
			help,
			registers,
			async collect() {
				this.set(await read());
			},
		});
	const startedAt = Math.round(performance.timeOrigin) / 1000;
	gauge('process_start_time_seconds', 'Start time of the process in seconds since the Unix epoch.', () => startedAt);
	gauge('process_resident_memory_bytes', 'Resident memory of the process in bytes.', () => process.memoryUsage.rss());
	gauge('process_max_fds', 'Maximum number of open file descriptors.', () => openFiles);
	gauge(
		'nodejs_heap_size_total_bytes',
		'Total size of the JavaScript heap in bytes.',
		() => process.memoryUsage().heapTotal,
	);
	gauge(
		'nodejs_heap_size_used_bytes',
		'Used size of the JavaScript heap in bytes.',
		() => process.memoryUsage().heapUsed,
	);
	if (process.platform === 'linux') {
		gauge('process_open_fds', 'Number of open file descriptors.', async () => {
			return (await readdir('/proc/self/fd')).length;
		});
	}
}

const everyMs = 100;

/** Measures the delay of a timer, which is the time that the event loop was blocked. */
function watchEventLoop(registry: Registry): Part {
	const delays = new Histogram({
		name: 'tinbox_event_loop_delay_seconds',
		help: 'Delay of the event loop, sampled ten times a second.',
		buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
		registers: [registry],
	});
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
