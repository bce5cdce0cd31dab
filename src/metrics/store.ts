import {Gauge, type Registry} from 'prom-client';
import type {Store} from '../store/port.js';
import {type StoreFigures, StoreSample} from './store-sample.js';

/** What is kept, by the name of its metric. Several nodes on one database tell the same of it. */
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

export function storeMetrics(registry: Registry, store: Pick<Store, 'usage' | 'size' | 'isAvailable'>): void {
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
					// It is not 0 as long as nobody knows.
					this.remove();
				}
			},
		});
	}
}
