import type {Tinbox} from '../../helpers/tinbox.js';
import {type Family, readExposition} from './exposition.js';

/** Metrics that a daemon exposes at `/metrics`. */
export class DaemonMetrics {
	readonly text: string;
	readonly families: ReadonlyMap<string, Family>;

	private constructor(text: string) {
		this.text = text;
		this.families = readExposition(text);
	}

	static async scrape({port}: Pick<Tinbox, 'port'>): Promise<DaemonMetrics> {
		const response = await fetch(`http://127.0.0.1:${port}/metrics`);
		return new DaemonMetrics(await response.text());
	}

	/** Sum of the samples with this name and at least these labels, or undefined if there are none. */
	sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
		const samples = [...this.families.values()]
			.flatMap(family => family.samples)
			.filter(
				sample => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
			);
		return samples.length === 0 ? undefined : samples.reduce((sum, {value}) => sum + value, 0);
	}
}
