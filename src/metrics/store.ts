import {Gauge, type Registry} from 'prom-client';
import type {Store} from '../store/store.js';
import {type StoreFigures, StoreSample} from './store-sample.js';

/** What is kept, by the name of its metric. Several nodes on one database tell the same of it. */
const figures: Readonly<Record<string, {readonly help: string; of(figures: StoreFigures): number}>> = {
	tinbox_store_messages: {
		help: 'Messages that are kept, as --max-messages counts them.',
		of: ({usage}) => usage.messages,
	},
	tinbox_store_mail_bytes: {help: 'Bytes of the mail that is kept.', of: ({usage}) => usage.bytes},
	tinbox_store_inboxes: {help: 'Inboxes that there are.', of: ({usage}) => usage.inboxes},
	tinbox_store_unfinished_deliveries: {
		help: 'Webhook deliveries that wait or are tried again.',
		of: ({usage}) => usage.deliveries,
	},
	tinbox_store_size_bytes: {
		help: 'Bytes that the store takes on disk or in the database, with what waits to be given back.',
		of: ({bytes}) => bytes,
	},
};

export function storeMetrics(registry: Registry, store: Pick<Store, 'usage' | 'size' | 'isAvailable'>): void {
	const registers = [registry];
	const sample = new StoreSample(store);
	new Gauge({
		name: 'tinbox_store_available',
		help: '1 while the store can be reached, else 0.',
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
