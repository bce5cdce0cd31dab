import type {Tinbox} from '../../helpers/tinbox.js';
import {type Family, readExposition} from './exposition.js';

/** What a daemon measured, as a program on its machine reads it. */
export class Measured {
	readonly text: string;
	readonly families: ReadonlyMap<string, Family>;

	private constructor(text: string) {
		this.text = text;
		this.families = readExposition(text);
	}

	static async of({port}: Pick<Tinbox, 'port'>): Promise<Measured> {
		const response = await fetch(`http://127.0.0.1:${port}/metrics`);
		return new Measured(await response.text());
	}

	/** The samples of that name whose labels are among others these, summed up; undefined when there are none. */
	sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
		const samples = [...this.families.values()]
			.flatMap(family => family.samples)
			.filter(
				sample => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
			);
		return samples.length === 0 ? undefined : samples.reduce((sum, {value}) => sum + value, 0);
	}
}
